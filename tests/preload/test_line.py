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
    "orphan_mutex": "fork-orphaned-lock",
    "orphan_rwlock_read": "fork-orphaned-lock",
    "orphan_spin": "fork-orphaned-lock",
    "own_recursive": "fork-own-lock",
    "self_deadlock": "self-deadlock",
    "self_sem": "self-deadlock",
    "static_init": "fork-static-init",
    "alone_sem": "fork-lost-wakeup",
    "alone_pool": "fork-lost-wakeup",
    "alone_library": "fork-thread-pool",
    "pool_same": "fork-thread-pool",
    "atfork_self": "fork-handler-deadlock",
    "atfork_left": "fork-handler-deadlock",
    "py_import_orphan.py": "fork-during-import",
    "py_preexec_hang.py": "fork-preexec-fn",
    "py_alone_queue.py": "fork-lost-wakeup",
}


def lines_of(process):
    """The rule that the library's line names, and the session of which its second line speaks."""
    rule = None
    for line in process.stderr:
        told = re.match(r"==\d+== mpsan: error: ([a-z-]+): ", line)
        place = re.match(r"==\d+== mpsan: `mpsan report (.+)` tells where", line)
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
