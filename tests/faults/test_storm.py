#!/usr/bin/env python3
"""Forks from four threads while eight lock and unlock: no child hangs, and each has its slot and its fork's event."""
# limit: 1800

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import named, program, rounds  # noqa: E402
from mpsantest import dump, main, run_mpsan  # noqa: E402

FORKERS = 4


def check_round(times):
    total = times * FORKERS
    with tempfile.TemporaryDirectory() as session:
        run = run_mpsan([program("storm"), str(times)], ["--dir", session, "--log-max", "256M"], timeout=300)
        events = dump(session)
    assert (run.exit, run.out) == (0, f"{total} children, {total} well\n"), run
    forks = {(event["slot"], event["pos"]) for event in named(events, "fork")}
    done = [event["child"] for event in named(events, "fork_done")]
    born = [event["process"]["pid"] for event in named(events, "birth") if event["process"]["how"] == "fork"]
    assert len(forks) == len(done) == len(born) == total, (len(forks), len(done), len(born), total)
    assert sorted(done) == sorted(born), "slots and forks name different children"
    assert not run.report["limits"], run.report["limits"]


def check():
    for _ in range(rounds(1, 5)):
        check_round(rounds(100, 5000))


main({"storm": check})
