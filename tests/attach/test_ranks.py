#!/usr/bin/env python3
"""mpsan attach on jobs of torch.distributed that were started bare: ranks in different collectives, on one host and on two;
ranks that have ended; and work that was begun asynchronously."""
# cases
# limit: 120

import concurrent.futures
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import MPSAN, kill_group, main, need_module, system_python  # noqa: E402

LOOK_S = 0.5  # between two looks: the ranks load torch meanwhile
RANKS = 5
TEXT = "ranks 0, 1, 3 and 4 wait in all_reduce (rank.py:9); rank 2 waits in barrier (rank.py:8)"


def free_port(address):
    with socket.socket() as free:
        free.bind((address, 0))
        return free.getsockname()[1]


def start(numbers, address, port):
    """A shell with some ranks of the job, in a process group of its own."""
    lines = [f"RANK={number} LOCAL_RANK={number} {system_python()} {HERE / 'rank.py'} &" for number in numbers]
    environment = {**os.environ, "WORLD_SIZE": str(RANKS), "MASTER_ADDR": address, "MASTER_PORT": str(port)}
    return subprocess.Popen(["sh", "-c", "\n".join([*lines, "wait"])], env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


@contextlib.contextmanager
def started(name):
    """A program of the trial, in a process group of its own."""
    job = subprocess.Popen([system_python(), HERE.parent / "trial/torch" / name], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield job
    finally:
        kill_group(job.pid)
        job.wait()


def look(*words):
    """The exit status and the findings that are no notes."""
    run = subprocess.run([str(word) for word in (MPSAN, *words, "--report", "json=-")], capture_output=True, text=True)
    assert run.stdout, run.stderr
    return run.returncode, [finding for finding in json.loads(run.stdout)["findings"] if finding["severity"] != "note"]


def told_in(steps):
    """Who does something else, the one that the finding is about, and the others as one."""
    assert [step["rank"] for step in steps] == [2, 0, 1], steps
    assert [one["rank"] for one in steps[2]["alike"]] == [1, 3, 4], steps
    assert re.match(r"3 ranks wait alike at .*rank.py:9.* for .*: ranks 1, 3 and 4$", steps[2]["what"]), steps


def check_one_host():
    need_module(system_python(), "torch")
    job = start(range(RANKS), "127.0.0.1", free_port("127.0.0.1"))
    try:
        found = []
        while not found:
            _, found = look("attach", "--no-conf", job.pid)
            time.sleep(LOOK_S)
        assert [one["rule"] for one in found] == ["collective-mismatch"] and found[0]["severity"] == "warning", found
        assert found[0]["message"] == TEXT, found[0]["message"]
        told_in(found[0]["evidence"])
    finally:
        kill_group(job.pid)
        job.wait()


def check_two_hosts():
    """Each session has some of the ranks, and says nothing; together they tell it."""
    need_module(system_python(), "torch")
    address = socket.gethostbyname(socket.gethostname())
    port = free_port(address)
    hosts = [start(numbers, socket.gethostname(), port) for numbers in ((0, 1), (2, 3, 4))]
    try:
        found = []
        while not found:
            with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
                for number, host in enumerate(hosts):
                    status, alone = look("attach", "--no-conf", "--dir", f"{place}/host{number}", host.pid)
                    assert status == 0 and not alone, alone
                _, found = look("report", "--no-conf", place)
            time.sleep(LOOK_S)
        assert [one["message"] for one in found] == [TEXT], found
        told_in(found[0]["evidence"])
    finally:
        for host in hosts:
            kill_group(host.pid)
            host.wait()


# what else may be told of a program: its helper, if it is attached to before the rank is killed
MAY = {"rank-killed.py": {"parent-lost"}}


def until_told(name):
    """What is told of the ranks of a program, once it is: the grade and the message."""
    with started(name) as job:
        told = []
        while not told:
            _, found = look("attach", "--no-conf", job.pid)
            told = [(one["severity"], one["message"]) for one in found if one["rule"] == "collective-mismatch"]
            others = {one["rule"] for one in found} - {"collective-mismatch", "worker-failed"} - MAY.get(name, set())
            assert not others, found
            time.sleep(LOOK_S)
    return told


EXPECTED = {
    # a zombie, which has a status
    "rank-raised.py": r"ranks 0 and 2 to 7 wait in new_group \(rank-raised.py:25\); rank 1 ended with status 1 \(process \d+\)",
    "rank-killed.py": r"ranks 0 and 1 wait in all_reduce \(rank-killed.py:28\); rank 2 was killed by SIGKILL \(process \d+\)",
    # its parent waits for it: seen in the act, or afterwards
    "rank-raised-and-joined.py": r"ranks 0 and 2 wait in new_group \(rank-raised-and-joined.py:23\); "
                                 r"rank 1 (is not there any more|has ended \(process \d+\))",
    "async-work-too-few.py": r"ranks 0 and 1 wait in Work.wait \(async-work-too-few.py:17\); rank 2 waits in barrier \(async-work-too-few.py:24\)",
}


def check_other_ends():
    need_module(system_python(), "torch")
    with concurrent.futures.ThreadPoolExecutor(len(EXPECTED)) as pool:
        for told, wanted in zip(pool.map(until_told, EXPECTED), EXPECTED.values()):
            (grade, message), = told
            # an error if it was attached to before the rank ended, whose number is known then
            assert grade == "warning" or re.search("ended|killed", message), told
            assert re.fullmatch(wanted, message), told


SEPARATE = """
import os, sys, time, torch, torch.distributed
torch.distributed.init_process_group("gloo")
open(sys.argv[1], "w").close()
if torch.distributed.get_rank():
    time.sleep(1000)
torch.distributed.all_reduce(torch.ones(4))
"""


def start_alone(rank, port, mark):
    """A rank in a tree of its own, as in a terminal for each."""
    environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    return subprocess.Popen([system_python(), "-c", SEPARATE, mark], env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def check_rank_in_another_tree():
    """It is connected, so it is there, although nothing was asked of its tree."""
    need_module(system_python(), "torch")
    port = free_port("127.0.0.1")
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        marks = [Path(place, str(rank)) for rank in range(2)]
        ranks = [start_alone(rank, port, mark) for rank, mark in enumerate(marks)]
        try:
            while not all(mark.exists() for mark in marks):
                time.sleep(0.05)
            status, found = look("attach", "--no-conf", ranks[0].pid)
            assert status == 0 and not found, found
        finally:
            for rank in ranks:
                kill_group(rank.pid)
                rank.wait()


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
