#!/usr/bin/env python3
"""Stepping aside is the cheapest path: in a process without a log, a pair of lock and unlock takes fewer instructions
than in a watched one."""
# cases

import functools
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import program, scratch  # noqa: E402
from mpsantest import LIBRARY, SKIPPED, Skip, full_environment, main  # noqa: E402


def instructions(thread, directory=None):
    env = {"LD_PRELOAD": str(LIBRARY), "MPSAN_DIR": str(directory)} if directory else {}
    run = subprocess.run([program("steps"), thread], env=full_environment(env), text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    if run.returncode == SKIPPED:
        raise Skip(run.stdout.strip())
    assert run.returncode == 0, run
    return {name: int(count) for name, count in (line.split() for line in run.stdout.splitlines())}


def check(thread):
    session = scratch("session")
    bare, watched, aside = (instructions(thread, place) for place in (None, session, "/proc/nowhere"))
    assert (session / "session").exists(), "the watched run was not watched"
    for kind, count in bare.items():
        print(f"{kind}: bare {count}, watched {watched[kind]}, aside {aside[kind]}")
        assert count < aside[kind] < watched[kind], f"{kind}: bare {count}, watched {watched[kind]}, aside {aside[kind]}"


main({thread: functools.partial(check, thread) for thread in ("main", "thread")})
