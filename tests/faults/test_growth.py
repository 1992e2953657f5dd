#!/usr/bin/env python3
"""What a long job costs: the supervisor keeps next to nothing of a process that has ended, and the logs of all processes have a
limit together."""
# cases

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import named, preload, program, scratch  # noqa: E402
from mpsantest import MPSAN, SLOW, dump, main, run_bare, run_mpsan, system_python  # noqa: E402

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


LIMIT_MIB = 4
CHUNK_KIB = 256
NOTES = 30_000  # 2 MiB and more


def logs(session):
    """{slot: KiB} of the logs that processes wrote."""
    sizes = {int(file.stem): file.stat().st_blocks // 2 for file in session.glob("*.log")}
    return {slot: size for slot, size in sizes.items() if slot < 32768}  # less the supervisor's


def limited(run, session, processes, notes):
    """Everything that was noted is in the logs, or counted."""
    sizes, events = logs(session), dump(session)
    assert sum(sizes.values()) <= LIMIT_MIB << 10, sizes
    noted = len(named(events, "lock_name"))
    said = run_bare([MPSAN, "report", session]).out
    dropped = int(re.search(r"or could not grow: (\d+)", said)[1])
    assert noted + dropped == notes, (noted, dropped, notes)
    assert f"those of the session reached {LIMIT_MIB} MiB together" in said, said
    assert run.exit == 0 and len(named(events, "birth")) >= processes


def log_total():
    """Of a job that logs without end; processes that come later have their first chunk nevertheless."""
    for how in ("run", "preload"):
        session = scratch(f"session-{how}")
        command = [program("logs"), 4, NOTES, 10]
        if how == "run":
            run = run_bare([MPSAN, "run", "--dir", session, "--log-total", f"{LIMIT_MIB}M", "--", *command])
        else:
            run = run_bare(command, env=preload(session=session, MPSAN_OPTIONS=f"log-total={LIMIT_MIB}M"))
        limited(run, session, 5, 3 * NOTES + 10 + 4)  # each notes one before


def no_room():
    """Where not even a first chunk has room, children write to their parent's log, and the program goes on."""
    session = scratch("session-none")
    run = run_bare([MPSAN, "run", "--dir", session, "--log-total", f"{2 * CHUNK_KIB}k", "--", program("logs"), 5, 10, 10])
    assert run.exit == 0 and sum(logs(session).values()) <= 2 * CHUNK_KIB, (run, logs(session))


def busy_log():
    """Full pieces of a log are given back by the process that writes it."""
    run = run_mpsan([program("logs"), 1, 0, 900_000], timeout=120)
    assert run.exit == 0 and int(run.out) < 4 << 10, f"{run.out} KiB more with a log of 60 MiB"


main({"busy-log": busy_log, "ended-processes": ended_processes, "log-total": log_total, "no-room": no_room})
