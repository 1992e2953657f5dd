#!/usr/bin/env python3
"""What a program does to its descriptors, limits, privileges and namespaces neither stops the log nor is changed by it."""
# cases

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import named, preload, program, run_bare, same, scratch  # noqa: E402
from mpsantest import MPSAN, SKIPPED, Skip, dump, main  # noqa: E402


SEALED = ("strict", "filter")  # hardly a system call passes from there on: the library makes none, and goes on


def watched(name, session):
    return run_bare([program("hardship"), name], env=preload(session=session, REMOVE=str(session)))


def check(name):
    bare = run_bare([program("hardship"), name])
    if bare.exit == SKIPPED:
        raise Skip(f"this user cannot do {name}")
    session = scratch("session")
    run = watched(name, session)
    same(bare, run, name)
    assert run.err == bare.err, f"{name}: the library spoke: {run.err!r}"
    if name != "unlink":
        check_noted(name, dump(session), "child well" in bare.out)
    if name in SEALED:
        assert "seccomp" in run_bare([MPSAN, "report", session]).out, "the report does not say what is missing"


def check_noted(name, events, has_child):
    noted = [int(event["lock"], 16) for event in named(events, "lock_name")]
    want = [1, 2, 3] if has_child else [1, 2]
    assert noted == want, f"{name}: noted {noted}, not {want}"


main({name: functools.partial(check, name) for name in run_bare([program("hardship")]).out.split()})
