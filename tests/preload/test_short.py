#!/usr/bin/env python3
"""A program that is over before mpsan first looks at it."""
# cases

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, MPSAN, main, verdicts  # noqa: E402

CRASH = BUILD / "tests/preload/workers/worker-failed-crash-joined"


def state_of(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def children_of(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def is_over(supervisor):
    return state_of(supervisor) == "T" and [state_of(pid) for pid in children_of(supervisor)] == ["Z"]


def check_end():
    """The supervisor is stopped before the exec: the status of the new image is told nevertheless."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [MPSAN, "run", "--report", f"json={file.name}", "--", "sh", "-c", 'kill -STOP $PPID; exec "$0"', CRASH]
        with subprocess.Popen(command, stderr=subprocess.PIPE) as run:
            while not is_over(run.pid):
                assert run.poll() is None, run.stderr.read()
            os.kill(run.pid, signal.SIGCONT)
            run.communicate()
        report = json.loads(Path(file.name).read_text())
    ends = {process["argv"][0]: process["end"] for process in report["processes"] if process["how"] != "fork"}
    assert ends[str(CRASH)] == {"code": 0}, ends
    assert verdicts(report) == {"worker-failed warning"}, report["findings"]


main({"end": check_end})
