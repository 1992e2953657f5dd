#!/usr/bin/env python3
"""The line that mpsan run prints at the first error comes at once."""
# serial

import json
import select
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import scratch  # noqa: E402
from mpsantest import MPSAN, run_bare  # noqa: E402
from test_alert import AFTER_WAIT, running  # noqa: E402

PATIENCE = 20
LINES = 4  # what happened, and where to look; what waits where, why, the fix
AFTER_PROOF = 1.0  # seconds


def first_lines(process):
    assert select.select([process.stderr], [], [], PATIENCE)[0], "no line"
    return "".join(process.stderr.readline().decode() for _ in range(LINES))


def check_at_once():
    """While the program hangs, with the report elsewhere: what, where, the fix, where to look."""
    directory, report = scratch("session"), scratch("report.txt")
    with running("--dir", directory, "--report", f"text={report}") as process:
        lines, seen = first_lines(process), time.time()
        document = json.loads(run_bare([MPSAN, "ps", "--json", directory]).out)
    for word in ("mpsan: deadlock proved after ", ": fork-orphaned-lock: ", '  mutex "lock"', "  → ",
                 f"mpsan ps {directory}"):
        assert word in lines, (word, lines)
    finding = next(finding for finding in document["findings"] if finding["severity"] == "error")
    waiter = next(thread for process in document["processes"] for thread in process["threads"]
                  if process["pid"] == finding["pid"])
    late, whole = seen - finding["time_ns"] / 1e9, seen - waiter["waits_for"]["since_ns"] / 1e9
    assert late < AFTER_PROOF and whole < AFTER_WAIT, f"{late:.2f} s after the proof, {whole:.2f} s after the wait began"


if __name__ == "__main__":
    check_at_once()
