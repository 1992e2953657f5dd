#!/usr/bin/env python3
"""Signal handlers that fork in the middle of hooks, or leave a blocked lock hook by siglongjmp."""
# cases
# limit: 300

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import named, preload, program, rounds, run_bare, scratch, with_session  # noqa: E402
from mpsantest import MPSAN, dump, main  # noqa: E402


def check_fork():
    times = rounds(300, 10000)
    run, events = with_session([program("signals"), "fork", str(times)], timeout=250)
    assert (run.exit, run.out) == (0, "fork 1\n"), run
    assert len(named(events, "fork")) >= times, f"{len(named(events, 'fork'))} of {times} forks recorded"


def check_jump():
    times = rounds(300, 10000)
    session = scratch("session")
    run = run_bare([program("signals"), "jump", str(times)], 250, preload(session=session))
    assert (run.exit, run.out) == (0, "jump 1\n"), run
    limits = json.loads(run_bare([MPSAN, "report", "--report", "json=-", session]).out)["limits"]
    assert not limits, f"claims that were jumped over are never cleared away: {limits}"
    events = dump(session)
    fork, = named(events, "fork")
    held = named(events, "held")
    assert fork["held"] == 1 and len(held) == 1, f"held at the fork: {held}"
    assert held[0]["holder"] != fork["tid"], held


main({"fork": check_fork, "jump": check_jump})
