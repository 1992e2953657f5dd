#!/usr/bin/env python3
"""What became of a wait that cannot succeed and that something ends: said by the run, and by a later report."""
# cases

import functools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, find, main, run_bare, run_mpsan, system_python  # noqa: E402

OWN_LOCK = """
import signal, threading, time
lock = threading.Lock()
with lock:
    {wait}
{after}
"""
CASES = {
    "goes-on": ("lock.acquire(timeout=3)", "time.sleep(3)", r"the wait was over after [34] s, and process \d+ went on"),
    "fails": ("lock.acquire(timeout=3)", "time.sleep(0.5); raise SystemExit(3)",
              r"the wait was over after [34] s, and process \d+ exited with status 3"),
    "alarm": ("signal.alarm(3); lock.acquire()", "", r"process \d+ was killed by signal 14 .* while it waited"),
    "endless": ("lock.acquire()", "", None),
}


def outcome_of(report):
    return find(report, "self-deadlock", "error").get("outcome")


def check(wait, after, pattern):
    with tempfile.TemporaryDirectory() as place:
        program = Path(place, "own_lock.py")
        program.write_text(OWN_LOCK.format(wait=wait, after=after))
        action = "report" if pattern else "kill"
        run = run_mpsan([system_python(), program], ["--dir", f"{place}/session", f"--on-deadlock={action}"])
        subprocess.run([MPSAN, "report", "--fail-on=never", "--report", f"json={place}/later", f"{place}/session"], check=True)
        text = run_bare([MPSAN, "report", "--fail-on=never", f"{place}/session"]).out
        assert ("\n  outcome: " in text) == bool(pattern), text
        for report in (run.report, json.loads(Path(place, "later").read_text())):
            outcome = outcome_of(report)
            assert outcome == pattern or re.fullmatch(pattern, outcome), outcome


# A worker that waits for itself, and a parent that sees no status: SIGCHLD is ignored.
UNSEEN = """
import os, signal, threading, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
lock = threading.Lock()
worker = os.fork()
if not worker:
    signal.signal(signal.SIGUSR1, print)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(4))
    with lock:
        lock.acquire()
time.sleep(3)
os.kill(worker, signal.{signal})
time.sleep(0.5)
"""
UNSEENS = {  # whose end nobody saw: a SIGKILL explains it, another signal may have been handled
    "SIGKILL": r"process \d+ was killed by signal 9 \(SIGKILL: Killed\) while it waited; process \d+ had sent it SIGKILL",
    "SIGTERM": r"process \d+ exited with status 4 before the wait was seen to end; process \d+ had sent it SIGTERM",
}


def unseen(signal, pattern):
    outcome = outcome_of(run_mpsan([system_python(), "-c", UNSEEN.format(signal=signal)]).report)
    assert re.fullmatch(pattern, outcome), outcome


main({**{f"unseen-{signal}": functools.partial(unseen, signal, pattern) for signal, pattern in UNSEENS.items()},
      **{name: functools.partial(check, *case) for name, case in CASES.items()}})
