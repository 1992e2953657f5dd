"""mpsan attach on programs that were started bare."""

import contextlib
import json
import re
import subprocess
import tempfile
import time
from pathlib import Path

from mpsantest import MPSAN, kill_group, loud_findings, system_python


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


def started(source, python=None, **more):
    """A Python program in a group of its own."""
    return running(python or system_python(), "-c", source, **more)


def look(pid):
    run = subprocess.run([MPSAN, "ps", "--json", str(pid)], capture_output=True, text=True, timeout=30)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def triage(pid):
    return look(pid)["triage"]


def until(pid, kind, pattern=""):
    """The first line of the triage, once it is of this kind and matches; the time limit of tests ends this."""
    while True:
        lines = triage(pid)
        if lines and lines[0]["kind"] == kind and re.search(pattern, lines[0]["text"]):
            return lines[0]
        time.sleep(0.1)
