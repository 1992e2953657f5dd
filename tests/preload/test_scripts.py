#!/usr/bin/env python3
"""Shell scripts that wait for what a failed job was to do, or try in vain: a note of `hang`, at the end; beside them healthy ones,
with none."""
# cases
# limit: 120

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, kill_group, main  # noqa: E402

LOOK_S = 6
# the shell, its script, and what the note says
NOTED = {
    "fifo-read": ("bash", "mkfifo fifo; exec 3<>fifo; (cd nowhere || exit 4; echo done >&3) & read -r line <&3",
                  "which it had started, failed (exit code 4)", "waits for read(fd 0: "),
    "fifo-opened": ("sh", "mkfifo fifo; nowhere/produce >other 2>&1 & cat fifo; echo done",
                    "which it had started, failed (exit code 127)", "until a process opens the FIFO for writing"),
    "file": ("bash", "(exit 3; touch file) & until [ -e file ]; do sleep 0.1; done",
             "exited with status 3 at", "starts sleep again and again, "),
    "lock": ("sh", "sh -c 'mkdir lock; kill -9 $$'; until mkdir lock 2>/dev/null; do sleep 0.1; done",
             "killed itself by signal 9", "starts mkdir again and again, ", ", each ended with exit code 1; nothing else"),
    "restarts": ("sh", "while :; do ls nowhere 2>/dev/null && break; sleep 0.1; done",
                 "starts ls again and again, ", ", each ended with exit code 2; nothing else"),
}
SILENT = {
    "fifo-commands": ("bash", "mkfifo fifo; exec 3<>fifo; while read -r line <&3; do echo $line; done"),
    "fifo-jobs": ("bash", "mkfifo fifo; (echo false >fifo) & exec 3<>fifo; while read -r line <&3; do $line & done"),
    "fifo-foreground": ("bash", "mkfifo fifo; exec 3<>fifo; false; read -r line <&3"),
    "fifo-late": ("bash", "mkfifo fifo; exec 3<>fifo; (exit 4) & (sleep 9; echo done >&3) & read -r line <&3"),
    "heartbeat": ("sh", "while :; do date; sleep 0.1; done"),
    "keep-alive": ("sh", "while :; do sleep 0.1; done"),
    "keep-alive-later": ("sh", "/usr/bin/python3 -c 'raise SystemExit(1)'; while :; do sleep 0.1; done"),
    "watch": ("sh", "while :; do ls nowhere 2>/dev/null || echo down; sleep 0.1; done"),
    "file-late": ("bash", "(exit 3) & (sleep 9; touch file) & until [ -e file ]; do sleep 0.1; done"),
    "tries-beside-work": ("sh", "while :; do date; sleep 0.2; done & while :; do ls nowhere; sleep 0.1; done"),
    "tries-some": ("sh", "for i in 1 2 3 4 5 6 7 8 9; do ls nowhere; sleep 0.1; done; sleep 9"),
    "tries-each": ("sh", "for i in $(seq 99); do grep -q $i nowhere; sleep 0.1; done"),
    "tries-and-more": ("sh", "while :; do ls nowhere; mkdir -p somewhere; sleep 0.1; done"),
}


def notes_of(shell, script, seconds=LOOK_S):
    with tempfile.TemporaryDirectory() as directory:
        with open(f"{directory}/err", "w") as err:
            process = subprocess.Popen([MPSAN, "run", "--no-conf", "--hang-after=1", "--report", f"json={directory}/report.json", "--",
                                        shell, "-c", script], cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                                       start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        try:
            time.sleep(seconds)
            text = Path(directory, "err").read_text()
            assert process.poll() is None, text
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(10)
        finally:
            kill_group(process.pid)
            process.wait()
        found = json.loads(Path(directory, "report.json").read_text())["findings"]
    assert "no progress" not in text, text
    return [finding for finding in found if finding["rule"] == "hang"]


def noted(name):
    """On a busy machine once more, for longer."""
    shell, script, *says = NOTED[name]
    notes = next(filter(None, (notes_of(shell, script, seconds) for seconds in (LOOK_S, 3 * LOOK_S))), [])
    assert len(notes) == 1 and notes[0]["severity"] == "note" and all(text in notes[0]["message"] for text in says), notes


def silent(name):
    notes = notes_of(*SILENT[name])
    assert not notes, notes


main({f"{test.__name__}-{name}": functools.partial(test, name) for test, names in ((noted, NOTED), (silent, SILENT)) for name in names})
