"""mpsan attach on programs that were started bare."""

import contextlib
import json
import subprocess
import tempfile
from pathlib import Path

from mpsantest import MPSAN, kill_group, loud_findings


@contextlib.contextmanager
def running(*command, stdin=subprocess.DEVNULL, **more):
    """A program in a group of its own, which ends with the block."""
    process = subprocess.Popen([str(word) for word in command], stdin=stdin, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True, **more)
    try:
        yield process
    finally:
        kill_group(process.pid)
        process.wait()


def attached(pid):
    """The JSON of a report."""
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        file = Path(place, "report.json")
        run = subprocess.run([str(MPSAN), "attach", "--no-conf", "--report", f"json={file}", str(pid)],
                             capture_output=True, text=True, timeout=60)
        assert run.returncode in (0, 66), run
        return json.loads(file.read_text())


def first_findings(command, looks, **more):
    """The PID of a program that is started, and its findings louder than a note, at the first of so many looks that has some."""
    with running(*command, **more) as process:
        for _ in range(looks):
            loud = loud_findings(attached(process.pid))
            if loud:
                return process.pid, loud
        return process.pid, []
