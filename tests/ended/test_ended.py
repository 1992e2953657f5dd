#!/usr/bin/env python3
"""Jobs that are ended from outside, and what is left of them: no deadlock where somebody has merely been ended; what
hangs for a reason of its own is told as ever."""
# cases

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import BUILD, FINDINGS_EXIT, MPSAN, kill_group, main, need_module, show, system_python, verdicts  # noqa: E402

IDLE_S = 1.0  # the service stands still meanwhile: long enough for each look at it
LOST = {"parent-lost warning"}
NOT_JOINED = {"child-not-joined warning"}


def service(*words):
    return [system_python(), str(HERE / "service.py"), *words]


def leave(*words):
    return [system_python(), str(HERE / "leave.py"), *words]


def ring(*words):
    return [str(BUILD / "tests/ended/ring"), *words]


def shell(command, after):
    return ["/bin/sh", "-c", f"{' '.join(command)}; {after}"]


class Job:
    """A command under mpsan with its orphans, all of which carry the mark in their environment and end with the case."""

    def __init__(self, command, directory):
        self.mark = f"MPSAN_TEST_JOB={directory}"
        self.report = Path(directory, "report.json")
        self.process = subprocess.Popen(
            [MPSAN, "run", "--on-deadlock=kill", "--report", f"json={self.report}", "--", *command], text=True,
            env={**os.environ, "MPSAN_TEST_JOB": directory}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            start_new_session=True)
        word, pid = self.process.stdout.readline().split()
        assert word == "ready", word
        self.pid = int(pid)

    def send(self, number, whom):
        if whom == "group":
            os.killpg(self.process.pid, number)
        else:
            os.kill({"mpsan": self.process.pid, "service": self.pid}[whom], number)

    def wait(self):
        return self.process.wait(timeout=30), json.loads(self.report.read_text())

    def sweep_up(self):
        for file in Path("/proc").glob("[0-9]*/environ"):
            try:
                if self.mark.encode() in file.read_bytes().split(b"\0"):
                    os.kill(int(file.parent.name), signal.SIGKILL)
            except OSError:
                pass
        kill_group(self.process.pid)
        self.process.wait()


def check(command, number, whom, expected, exit_status, allowed=frozenset()):
    """`number` is sent to `whom` (None: nothing is sent) when the job has been idle for a while."""
    if "loader" in command:
        need_module(command[0], "torch")
    with tempfile.TemporaryDirectory() as directory:
        job = Job(command, directory)
        try:
            if whom:
                time.sleep(IDLE_S)
                job.send(number, whom)
            status, report = job.wait()
        finally:
            job.sweep_up()
    found = verdicts(report)
    assert expected <= found <= expected | allowed, f"expected {expected}, found {found}\n{show(report)}"
    assert status == exit_status, f"exit {status}, not {exit_status}\n{show(report)}"


TERM, KILL, INT = signal.SIGTERM, signal.SIGKILL, signal.SIGINT
TERMINATED, KILLED = 128 + TERM, 128 + KILL

# name: command, signal, to whom, warnings and errors, exit status
CASES = {
    # What stays is told as that, and as nothing else.
    "executor-spawn": (service("executor", "spawn"), TERM, "mpsan", LOST, TERMINATED),
    "executor-forkserver": (service("executor", "forkserver"), TERM, "service", LOST, TERMINATED),
    "executor-killed": (service("executor", "spawn"), KILL, "service", LOST, KILLED),
    "manager": (service("manager", "spawn"), TERM, "service", LOST, TERMINATED),
    "queues": (service("queues"), KILL, "service", LOST, KILLED),
    "taker": (service("taker"), TERM, "service", LOST, TERMINATED),
    "memory": (service("memory", "spawn"), TERM, "service", LOST, TERMINATED),
    "exec": (service("again", "spawn"), TERM, "service", LOST, TERMINATED),
    "nested": (shell(service("executor", "spawn"), "sleep 2.5; exit 7"), TERM, "service", LOST, 7),
    "nested-killed": (shell(service("queues"), "sleep 2.5; exit 7"), KILL, "service", LOST, 7),
    "ring": (ring("fork"), TERM, "service", LOST, TERMINATED),
    "ring-killed": (ring("fork"), KILL, "service", LOST, KILLED),
    # Other programs that it started, and processes with sessions of their own, may mean to live on.
    "ring-exec": (ring("exec"), KILL, "service", set(), KILLED),
    "sessions": (service("orphans"), TERM, "service", set(), TERMINATED),
    # Who goes with it, soon enough.
    "group": (service("executor", "spawn"), TERM, "group", set(), TERMINATED),
    "time-limit": (["timeout", "2", *service("executor", "spawn")], None, None, set(), 124),
    "time-limit-forkserver": (["timeout", "2", *service("queues", "forkserver")], None, None, set(), 124),
    "pool": (service("pool"), TERM, "service", set(), TERMINATED),
    "pool-spawn": (service("pool", "spawn"), KILL, "service", set(), KILLED),
    "follow-soon": (service("follow", "0.3"), KILL, "service", set(), KILLED),
    "follow-late": (service("follow", "0.9"), TERM, "service", set(), TERMINATED),
    "loader": (service("loader"), TERM, "service", set(), TERMINATED),
    "arbiter": (service("arbiter"), TERM, "service", set(), 0),
    "arbiter-killed": (service("arbiter"), KILL, "service", set(), KILLED),
    # Hangs of their own.
    "told:orphaned": (leave("orphaned"), None, None, {"fork-orphaned-lock error"}, FINDINGS_EXIT,
                      NOT_JOINED | {"fork-lock-held warning"}),
    "told:orphaned-meanwhile": (leave("orphaned", "stays"), None, None, {"fork-orphaned-lock error"}, FINDINGS_EXIT,
                                {"fork-lock-held warning"}),
    "told:opposite": (leave("opposite", "stays"), KILL, "service", {"deadlock-cycle error"}, FINDINGS_EXIT, LOST),
    "told:lost-wakeup": (leave("lost_wakeup"), None, None, {"fork-lost-wakeup error"}, FINDINGS_EXIT, NOT_JOINED),
    "told:pair": (ring("pair"), TERM, "service", {"deadlock-cycle error"}, FINDINGS_EXIT, LOST),
}

main({name: functools.partial(check, *case) for name, case in CASES.items()})
