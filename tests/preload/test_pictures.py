#!/usr/bin/env python3
"""The job as a picture: `mpsan dump --job` has it for each deadlock, and `mpsan ps --job` shows the same of the living program."""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import MPSAN, kill_group, system_python  # noqa: E402

PROGRAM = [system_python(), str(HERE / "waits/deadlock-cycle-locks.py")]
PATIENCE_S = 30


def shape(text):
    """The rows and verdicts, without what differs from one run to the next."""
    lines = [line for line in text.splitlines() if not line.startswith(("#", "picture"))]
    return [re.sub(r"\d+", "N", line) for line in lines]


def dumped(directory, check=True):
    return subprocess.run([MPSAN, "dump", "--job", directory], check=check, capture_output=True, text=True).stdout


with tempfile.TemporaryDirectory() as place:
    session = f"{place}/session"
    process = subprocess.Popen([MPSAN, "run", "--dir", session, "--", *PROGRAM], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        end = time.monotonic() + PATIENCE_S
        while "=> " not in dumped(session, check=False):  # the session may be half made
            assert time.monotonic() < end, "no picture"
            time.sleep(0.1)
        recorded = dumped(session)
        shown = subprocess.run([MPSAN, "ps", "--job", session], check=True, capture_output=True, text=True).stdout
    finally:
        kill_group(process.pid)
        process.wait()
    assert re.search(r"^=> cycle: \d+\.\d+ \d+\.\d+$", recorded, re.M), recorded
    assert shape(recorded) == shape(shown), f"{recorded}\n{shown}"
