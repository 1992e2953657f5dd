#!/usr/bin/env python3
"""vfork, thousands of times and from many threads: the parent's memory is untouched, each is recorded or counted."""
# cases
# limit: 300

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import as_bare, named, program, rounds  # noqa: E402
from mpsantest import main  # noqa: E402


def check(end, few, full, threads=0):
    times = rounds(few, full)
    events = as_bare([program("vforks"), end, str(times), str(threads)], timeout=250)
    forks = [event for event in named(events, "fork") if event["how"] == "vfork"]
    assert len(forks) == times * (threads or 1), f"{len(forks)} of {times} x {threads} vforks recorded"
    if end == "exec":
        asked = len(named(events, "exec_asked"))
        assert min(len(forks), 3000) <= asked <= len(forks), f"{asked} execs of {len(forks)}"


main({"exec": functools.partial(check, "exec", 200, 10000), "exit": functools.partial(check, "exit", 300, 10000),
      "exec_from_threads": functools.partial(check, "exec", 25, 125, 8),
      "exit_from_threads": functools.partial(check, "exit", 50, 1250, 8)})
