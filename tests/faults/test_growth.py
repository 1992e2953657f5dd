#!/usr/bin/env python3
"""What a long job costs: the supervisor keeps next to nothing of a process that has ended."""
# cases

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import SLOW, main, run_mpsan, system_python  # noqa: E402

PROCESSES = 300
KEPT_KIB = 3  # of each; the pages of its log and of their table were 18
PATIENCE_S = 20 * SLOW
# Children with logs of their own. Prints how much the supervisor's memory grew, as soon as that is little or at the end.
JOB = f"""
import os, re, sys, threading, time
def resident():
    text = open(f"/proc/{{os.getppid()}}/status").read()
    return sum(int(re.search(name + r":\\s*(\\d+)", text)[1]) for name in ("VmRSS", "VmPTE"))
def start(count):
    for _ in range(count):
        child = os.fork()
        if not child:
            thread = threading.Thread(target=int)
            thread.start()
            thread.join()
            os._exit(0)
        os.waitpid(child, 0)
start(20)
time.sleep(2)  # until the first of them are given up
before = resident()
start({PROCESSES})
until = time.monotonic() + {PATIENCE_S}
while resident() - before > {PROCESSES * KEPT_KIB} and time.monotonic() < until:
    time.sleep(0.1)
print(resident() - before)
"""


def ended_processes():
    run = run_mpsan([system_python(), "-c", JOB], timeout=120)
    grown = int(re.fullmatch(r"(-?\d+)\n", run.out)[1])
    assert grown <= PROCESSES * KEPT_KIB, f"{grown / PROCESSES:.1f} KiB for each process that has ended"
    assert len(run.report["processes"]) == PROCESSES + 21 and not run.exit, len(run.report["processes"])


main({"ended-processes": ended_processes})
