#!/usr/bin/env python3
"""The line that the library prints by itself, without the command, names the rule that the report of the same run names:
for a program of each kind of wait."""
# cases

import functools
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, LIBRARY, MPSAN, kill_group, main, run_bare, system_python  # noqa: E402

HERE = Path(__file__).resolve().parent
JUDGED_S = 0.8  # a wait must have lasted this long before the report judges it
PROGRAMS = {
    "fork/fork-orphaned-lock-mutex": "fork-orphaned-lock",
    "fork/fork-orphaned-lock-rwlock-read": "fork-orphaned-lock",
    "fork/fork-orphaned-lock-spin": "fork-orphaned-lock",
    "fork/fork-own-lock-recursive": "fork-own-lock",
    "waits/self-deadlock-mutex": "self-deadlock",
    "waits/self-deadlock-sem": "self-deadlock",
    "fork/fork-static-init": "fork-static-init",
    "fork/fork-lost-wakeup-sem": "fork-lost-wakeup",
    "fork/fork-lost-wakeup-pool": "fork-lost-wakeup",
    "fork/fork-thread-pool-library": "fork-thread-pool",
    "fork/fork-thread-pool-same": "fork-thread-pool",
    "fork/fork-handler-deadlock-self": "fork-handler-deadlock",
    "fork/fork-handler-deadlock-left": "fork-handler-deadlock",
    "imports/fork-during-import-orphan.py": "fork-during-import",
    "fork/fork-preexec-fn-hang.py": "fork-preexec-fn",
    "fork/fork-lost-wakeup-queue.py": "fork-lost-wakeup",
}


def lines_of(process):
    """The rule that the library's line names, and the session of which its second line speaks."""
    rule = None
    for line in process.stderr:
        told = re.match(r"==\d+== mpsan: error: ([a-z-]+): ", line)
        place = re.match(r"==\d+== mpsan: `mpsan report (.+)` shows where", line)
        rule = told[1] if told else rule
        if place:
            return rule, place[1]
    raise AssertionError("the library said nothing")


def check_line(program, expected):
    command = [system_python(), HERE / program] if program.endswith(".py") else [BUILD / "tests/preload" / program]
    with tempfile.TemporaryDirectory() as directory:
        process = subprocess.Popen(command, env={**os.environ, "LD_PRELOAD": str(LIBRARY), "MPSAN_DIR": directory},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True)
        watchdog = threading.Timer(20, kill_group, [process.pid])
        watchdog.start()
        try:
            told, session = lines_of(process)
            time.sleep(JUDGED_S)
            report = run_bare([MPSAN, "report", session])
        finally:
            watchdog.cancel()
            kill_group(process.pid)
            process.wait()
            process.stderr.close()
    errors = set(re.findall(r"mpsan: error: ([a-z-]+): ", report.out + report.err))
    assert told == expected and expected in errors, f"the line says {told}, the report {errors}, not {expected}"


main({program: functools.partial(check_line, program, rule) for program, rule in PROGRAMS.items()})
