#!/usr/bin/env python3
"""Help is the same however it is asked for, and a name that was mistyped is answered with those that are near."""
# cases

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, main, run_bare  # noqa: E402


def check_commands():
    text = run_bare([MPSAN, "--help"])
    assert text.exit == 0 and text == run_bare([MPSAN, "help"]) == run_bare([MPSAN, "-h"]), text
    assert text == run_bare([MPSAN, "help", "help"]) == run_bare([MPSAN, "help", "--help"])
    rows = dict(re.findall(r"^  mpsan (\w+)(?: \S.*?)?  +(\S.*)$", text.out, re.M))
    assert len(rows) > 8 and "doctor" in rows, rows
    for command in rows:
        run = run_bare([MPSAN, command, "--help"])
        assert run.exit == 0 and not run.err and run.out.startswith(f"usage: mpsan {command}"), run
        assert run == run_bare([MPSAN, "help", command]) == run_bare([MPSAN, command, "-h"]), command
    bare = run_bare([MPSAN])
    assert (bare.exit, bare.out) == (2, ""), bare


def check_near_names():
    for words, near in ((["explain", "fork-thread"], "near: fork-threads"),
                        (["explain", "fork-orphand-lock"], "near: fork-orphaned-lock"),
                        (["explain", "inversion"], "near: lock-order-inversion"),
                        (["rnu"], "near: run"), (["help", "docter"], "near: doctor")):
        run = run_bare([MPSAN, *words])
        assert (run.exit, run.out) == (2, "") and len(run.err.splitlines()) == 1 and near in run.err, run
    for words in (["explain", "zzzzzzzz"], ["explain", "x" * 500], ["explain", ""], ["qqqqqq"], ["help", "a", "b"]):
        run = run_bare([MPSAN, *words])
        assert run.exit == 2 and "near:" not in run.err and len(run.err.splitlines()) == 1, run


def check_version():
    run = run_bare([MPSAN, "--version"])
    assert run.exit == 0 and re.fullmatch(r"mpsan \d+\.\d+\.\d+\n", run.out), run


main({"commands": check_commands, "near_names": check_near_names, "version": check_version})
