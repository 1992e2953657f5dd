#!/usr/bin/env python3
"""Programs with stacks of their own, and filters that forbid what the library asks the kernel by, run as without it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, Skip, main, run_bare, run_mpsan  # noqa: E402

PROGRAM = BUILD / "tests/faults/odd_memory"


def check(mode):
    bare = run_bare([PROGRAM, mode])
    if bare.exit == 77:
        raise Skip(f"{mode} cannot be had here")
    assert bare.exit == 0 and bare.out, bare
    for level in "full", "forks":
        run = run_mpsan([PROGRAM, mode], options=(f"--level={level}",))
        assert (run.exit, run.out) == (bare.exit, bare.out), (level, run)
        assert not [f for f in run.report["findings"] if f["severity"] == "error"], run.report


main({"coroutine": lambda: check("coroutine"), "kill": lambda: check("kill"), "kill-odd": lambda: check("kill-odd"),
      "answer": lambda: check("answer")})
