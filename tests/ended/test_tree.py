#!/usr/bin/env python3
"""--on-deadlock=kill ends the whole process tree, also those in it that are not watched: nobody is left who keeps the
job's output open."""
# cases

import functools
import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, FINDINGS_EXIT, MPSAN, main  # noqa: E402

PATIENCE_S = 20  # far less than what is left lives

UNWATCHED = {  # each beside the deadlock
    "child": "env -i sleep 60",
    "grandchild": "env -i sh -c 'sleep 60; true'",
    "great-grandchild": "env -i sh -c 'sh -c \"sleep 60; true\"; true'",
    "forks": "env -i sh -c 'while :; do sleep 0.01; done'",
    "session": "env -i setsid -w sh -c 'sleep 60; true'",
    "ignores": "env -i sh -c 'trap \"\" ABRT TERM; sleep 60; true'",
}


def check(command):
    script = f"{command} & exec {BUILD}/tests/preload/waits/deadlock-cycle-mutex"
    job = subprocess.Popen([MPSAN, "run", "--on-deadlock=kill", "--", "sh", "-c", script], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        job.communicate(timeout=PATIENCE_S)  # to the end of the output
    finally:
        try:
            os.killpg(job.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    assert job.returncode == FINDINGS_EXIT, job.returncode


main({name: functools.partial(check, command) for name, command in UNWATCHED.items()})
