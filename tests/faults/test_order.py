#!/usr/bin/env python3
"""Our prepare handler runs last and our child handler first, whoever registers, when and in which order of loading."""
# cases

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, library, named, need_file, scratch, with_session  # noqa: E402
from mpsantest import LIBRARY, ROOT, main  # noqa: E402

FORK_HANDLERS = 4  # MPSAN_FORK_HANDLERS
JEMALLOC = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"


def program(*needed):
    links = [word for each in needed for word in (str(each), f"-Wl,-rpath,{each.parent}")]
    return build(ROOT / "tests/faults/order.c", scratch("order"), "-pthread", "-Wl,--no-as-needed", *links)


def check(handlers, chain=(LIBRARY,), needed=(), opened=()):
    """`handlers`: how many registrants there are. Each must be found prepared, and name its lock in the child."""
    run, events = with_session([program(*needed), *opened], chain)
    assert run.exit == 0, run
    fork, = named(events, "fork")
    child, = (event for event in named(events, "birth") if event["process"]["how"] == "fork")
    assert fork["flags"] & FORK_HANDLERS, fork
    assert fork["own"] == handlers, f"{handlers} locks were taken before our prepare handler: {fork}"
    names = named(events, "lock_name")
    assert len(names) == handlers and all(name["slot"] == child["slot"] for name in names), (names, child)


def registrant(*flags):
    return library("registrant", *flags)


def with_jemalloc(first):
    there = need_file(JEMALLOC)
    check(1, [LIBRARY, there] if first else [there, LIBRARY], needed=[registrant()])


def preloaded(first):
    other = registrant()
    check(1, [LIBRARY, other] if first else [other, LIBRARY])


def crowd():
    """A dependency that is set up before everything else, one preloaded, two opened."""
    check(4, [registrant(), LIBRARY], needed=[registrant("-Wl,-z,initfirst")], opened=[registrant(), registrant()])


main({"alone": functools.partial(check, 0),
      "dependency": lambda: check(1, needed=[registrant()]),
      "initfirst": lambda: check(1, needed=[registrant("-Wl,-z,initfirst")]),
      "opened": lambda: check(1, opened=[registrant()]),
      "preloaded_behind": lambda: preloaded(True), "preloaded_before": lambda: preloaded(False),
      "jemalloc_behind": lambda: with_jemalloc(True), "jemalloc_before": lambda: with_jemalloc(False),
      "crowd": crowd})
