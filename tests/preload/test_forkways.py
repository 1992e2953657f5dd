#!/usr/bin/env python3
"""Every way to make a child leaves exactly the facts that the table in forkways.c states."""
# cases

import functools
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, SKIPPED, Skip, dump, main, run_bare, run_mpsan  # noqa: E402

PROGRAM = BUILD / "tests/preload/fork/forkways"
FORK_HANDLERS = 4  # MPSAN_FORK_HANDLERS


def rows():
    for line in run_bare([PROGRAM]).out.splitlines():
        name, how, *numbers = line.split()
        yield name, how, *map(int, numbers)


def record(name):
    """Runs one way and returns its events. They are read when all of its processes have let go of the output:
    daemon() leaves one behind that outlives `mpsan run`."""
    with tempfile.TemporaryDirectory() as session:
        run = run_mpsan([PROGRAM, name], ["--dir", session])
        if run.exit == SKIPPED:
            raise Skip(f"this system has no {name}")
        assert run.exit == 0, f"exit {run.exit}\n{run.err}"
        return dump(session)


def named(events, name):
    return [event for event in events if event["event"] == name]


def check_fork_event(events, how, handlers):
    forks = named(events, "fork")
    assert len(forks) == 1, f"{len(forks)} fork events: {forks}"
    assert forks[0]["how"] == how, forks[0]
    assert bool(forks[0]["flags"] & FORK_HANDLERS) == bool(handlers), forks[0]


def check_children(events, how, count, execs):
    root, *children = [event["process"] for event in named(events, "birth")]
    assert root["how"] == "root" and root["watched"] is True, root
    made = [child for child in children if child["how"] != "exec"]
    images = [child for child in children if child["how"] == "exec"]  # a forked child after its exec
    assert [child["how"] for child in made] == [how] * count, children
    assert [image["pid"] for image in images] == ([made[0]["pid"]] * execs if how == "fork" else []), children
    for child in children:
        assert child["parent"] == root["pid"] and child["watched"] is True, child


def check_way(name, how, handlers, execs, threads, processes):
    events = record(name)
    assert len(named(events, "thread_start")) == threads, named(events, "thread_start")
    assert len(named(events, "exec_asked")) == execs, named(events, "exec_asked")
    if how == "-":
        assert not named(events, "fork"), events
    else:
        check_fork_event(events, how, handlers)
    check_children(events, how, processes, execs)


main({row[0]: functools.partial(check_way, *row) for row in rows()})
