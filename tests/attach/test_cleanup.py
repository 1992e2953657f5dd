#!/usr/bin/env python3
"""The triage of a main thread that waits for ever while it handles an exception, which it passes on or not."""
# cases

import json
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import running  # noqa: E402
from mpsantest import MPSAN, main, system_python  # noqa: E402

JOINS = "import threading\nt = threading.Thread(target=threading.Event().wait)\nt.start()\n"


def until(source, kind, words):
    """Waits until the first line of the triage is so; the time limit of tests ends this."""
    with running(system_python(), "-c", source) as process:
        while True:
            run = subprocess.run([MPSAN, "ps", "--json", str(process.pid)], capture_output=True, text=True, timeout=30)
            lines = json.loads(run.stdout)["triage"]
            if lines and lines[0]["kind"] == kind and all(word in lines[0]["text"] for word in words):
                return
            time.sleep(0.1)


def check_event():
    until("import threading\ntry: 1 / 0\nfinally: threading.Event().wait()", "cleanup",
          ("waits in a clean-up: the main thread", "waits for Event.set", "while handling ZeroDivisionError"))


def check_join():
    until(JOINS + "try: 1 / 0\nfinally: t.join()", "cleanup",
          ("the main thread", "waits for the end of a thread", "while handling ZeroDivisionError"))


def check_error_that_was_handled():
    until("import threading\ntry: 1 / 0\nexcept ZeroDivisionError: threading.Event().wait()", "parked",
          ("the main thread", "while handling ZeroDivisionError"))


def check_no_error():
    until(JOINS + "t.join()", "parked", ("waits for Event.set", "1 thread waits for that"))


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
