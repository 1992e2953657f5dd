#!/usr/bin/env python3
"""Binaries that ask for the oldest version of pthread_cond_wait get it, on its own structure."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import as_bare, named, need_x86_64, program  # noqa: E402
from mpsantest import main  # noqa: E402


def check():
    need_x86_64("the oldest version is")
    events = as_bare([program("old_condition")])
    assert named(events, "thread_start"), events


main({"old_condition": check})
