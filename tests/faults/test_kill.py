#!/usr/bin/env python3
"""Killed at a random moment, or by faults, exits and execs of their own in the middle of a write, writers lose nothing that
they had been told was written, and leave no torn record."""
# cases
# limit: 1800

import functools
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import named, preload, program, rounds, scratch  # noqa: E402
from mpsantest import MPSAN, dump, full_environment, main, run_bare  # noqa: E402

PROCESSES, THREADS = 3, 2
WRITERS = PROCESSES * THREADS
SIGNALS = {"kill": signal.SIGKILL, "segv": signal.SIGSEGV, "bus": signal.SIGBUS}
WAYS = ("_exit", "quick_exit", "exec")  # of a handler for SIGUSR1
CUT = re.compile(r"unfinished records skipped: (\d+)")


def run_and_end(session, way):
    """Returns the counters of all writers as they stood when the last of them was dead."""
    counters = scratch("acknowledged")
    counters.write_bytes(bytes(4096))
    process = subprocess.Popen([str(program("writers")), str(counters), str(PROCESSES), way], start_new_session=True,
                               env=full_environment(preload(session=session)), stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "all write\n"
    time.sleep(random.uniform(0, 0.02))  # the case itself: a moment nobody can foresee
    os.killpg(process.pid, SIGNALS.get(way, signal.SIGUSR1))
    process.stdout.read()  # ends when the last writer is dead
    process.wait()
    return struct.unpack(f"={WRITERS + 1}Q", counters.read_bytes()[:8 * (WRITERS + 1)])[1:]


def check_round(way):
    session = scratch("session")
    acknowledged = run_and_end(session, way)
    written = {int(event["lock"], 16) for event in named(dump(session), "lock_name")}
    for writer, count in enumerate(acknowledged, 1):
        lost = [n for n in range(1, count + 1) if writer << 32 | n not in written]
        assert not lost, f"writer {writer} lost {len(lost)} of {count}: {lost[:5]}"
    assert len(written) <= sum(acknowledged) + WRITERS, "events that nobody wrote"
    report = run_bare([MPSAN, "report", "--report", "json=-", session]).out
    said = CUT.search(report)
    assert not said or int(said[1]) <= WRITERS, said[0]
    assert "damaged" not in report, report
    return sum(acknowledged)


def check(way):
    total = sum(check_round(way) for _ in range(rounds(5 if way == "kill" else 2, 1000 if way == "kill" else 200)))
    print(f"{total} events acknowledged, none lost")


main({way: functools.partial(check, way) for way in (*SIGNALS, *WAYS)})
