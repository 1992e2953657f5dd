#!/usr/bin/env python3
"""Calls that come back late, and calls that fail: late.c, late_locks.c and late_cuda.c have one case for each function. What
the others do meanwhile leads to no finding and no wrong record; what was said before a call that failed is not held."""
# cases
# limit: 120

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, FINDINGS_EXIT, dump, main, run_mpsan, show, sweep_up, verdicts  # noqa: E402

PROGRAMS = ("late", "late_locks", "late_cuda")
STAND_IN = {"LD_LIBRARY_PATH": str(BUILD / "fake")}

# What is true of a case and must be found; all others have nothing to be found.
FOUND = {
    "sendmsg_fails": {"shm-sender-exited warning"},
    "sendmmsg_fails": {"shm-sender-exited warning"},
    "kill_fails": {"worker-failed warning"},
    "killpg_fails": {"worker-failed warning"},
    "sigqueue_fails": {"worker-failed warning"},
    "pidfd_send_signal_fails": {"worker-failed warning"},
    "syscall_kill_fails": {"worker-failed warning"},
    "shm_unlink_fails": {"shm-foreign-unlink error"},
    "unlink_fails": {"shm-foreign-unlink error"},
    "unlinkat_fails": {"shm-foreign-unlink error"},
    "setsid_fails": {"parent-lost warning"},
    "unlock_fails": {"fork-orphaned-lock error"},
    "cudaFree_fails": {"ipc-producer-exited error"},
    "cudaIpcCloseMemHandle_fails": {"ipc-freed-while-open error"},
}


def records(session, event):
    """Those that stand: what failed was taken back."""
    return [record for record in dump(session) if record["event"] == event and not record.get("failed")]


def maps_end_once(session):
    """Of two pieces that had one address in turn the second is mapped to the end."""
    first, second = sorted(records(session, "shm_map"), key=lambda record: record["time_ns"])[::2][:2]
    assert first.get("later"), first
    assert not second.get("later"), second


def stays_mapped(session):
    kept = records(session, "shm_map")
    assert len(kept) == 1 and not kept[0].get("later"), kept


def nothing_of(event):
    def check(session):
        assert not records(session, event), records(session, event)
    return check


def child_is_known(session):
    ends = [record["process"] for record in dump(session) if record["event"] == "end"]
    assert [process["exit_code"] for process in ends] == [0, 0], ends


RECORDS = {
    "munmap": maps_end_once,
    "munmap_fails": stays_mapped,
    "mremap_fails": stays_mapped,
    "kill_fails": nothing_of("killed"),
    "sigqueue_fails": nothing_of("killed"),
    "pidfd_send_signal_fails": nothing_of("killed"),
    "syscall_kill_fails": nothing_of("killed"),
    "shm_unlink_fails": nothing_of("shm_unlinked"),
    "unlink_fails": nothing_of("shm_unlinked"),
    "unlinkat_fails": nothing_of("shm_unlinked"),
    "shm_open_fails": nothing_of("shm_intent"),
    "sendmsg_fails": nothing_of("shm_sent"),
}


def check(program, case):
    command = [BUILD / "tests/faults" / program, case]
    with tempfile.TemporaryDirectory() as folder:
        session = Path(folder, "session")
        watched = run_mpsan(command, ["--on-deadlock=kill", "--dir", session], env=STAND_IN)
        found = verdicts(watched.report)
        assert found == FOUND.get(case, set()), f"found {sorted(found)}\n{show(watched.report)}"
        RECORDS.get(case, lambda session: None)(session)
    raised = any(verdict.endswith("error") for verdict in found)
    assert watched.exit == (FINDINGS_EXIT if raised else 0), f"exit {watched.exit}\n{watched.err}"
    sweep_up()


def cases():
    for program in PROGRAMS:
        path = BUILD / "tests/faults" / program
        names = subprocess.run([path], stdout=subprocess.PIPE, text=True, env={**os.environ, **STAND_IN}).stdout
        for name in names.split():
            yield name, partial(check, program, name)


main(dict(cases()))
