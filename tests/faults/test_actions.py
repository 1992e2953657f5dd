#!/usr/bin/env python3
"""Observers of faults do not show: what a program asks of its signal actions, and what becomes of it by a signal or a
fault, is as without the library."""
# cases

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import named, preload, program, scratch  # noqa: E402
from mpsantest import dump, main, run_bare  # noqa: E402

PROGRAM = program("actions")
SIGBUS, SIGSEGV = 7, 11


def without_observer(line):
    """What the kernel says, unlike what the program is told, has the action of SIGBUS that stands from the start."""
    name, _, mask = line.partition(":\t")
    return f"{name}:\t{int(mask, 16) & ~(1 << (SIGBUS - 1)):016x}" if name == "SigCgt" else line


def compare(env):
    bare, watched = run_bare([PROGRAM]), run_bare([PROGRAM], env=env)
    assert bare.exit == 0, bare
    assert watched.exit == 0, watched
    pairs = list(zip(bare.out.splitlines(), map(without_observer, watched.out.splitlines())))
    wrong = [f"{number}: {one!r}, watched {other!r}" for number, (one, other) in enumerate(pairs) if one != other]
    assert not wrong and len(bare.out.splitlines()) == len(watched.out.splitlines()), "\n".join(wrong[:20])


def check_observed():
    session = scratch("session")
    compare(preload(session=session))
    faults = named(dump(session), "fault")
    for signal in (SIGSEGV, SIGBUS):
        seen = [fault for fault in faults if fault["signal"] == signal]
        assert len(seen) >= 8, f"{len(seen)} faults of signal {signal} were observed"
        assert all(fault["stack"] or fault["caller"] for fault in seen), seen
        assert sum(fault["stack"] != 0 for fault in seen) >= len(seen) - 2, "evidence is missing"


def check_without_log():
    compare(preload(MPSAN_DIR="/nowhere/at/all"))


main({"observed": check_observed, "without_log": check_without_log})
