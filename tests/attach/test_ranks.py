#!/usr/bin/env python3
"""mpsan attach on jobs of torch.distributed that were started bare: ranks in different collectives, on one host and on two."""
# cases
# limit: 120

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import MPSAN, kill_group, main, need_module, system_python  # noqa: E402

TEXT = "ranks 0, 1 and 3 wait in all_reduce (rank.py:9); rank 2 waits in barrier (rank.py:8)"


def free_port(address):
    with socket.socket() as free:
        free.bind((address, 0))
        return free.getsockname()[1]


def start(numbers, address, port):
    """A shell with some ranks of the job, in a process group of its own."""
    lines = [f"RANK={number} LOCAL_RANK={number} {system_python()} {HERE / 'rank.py'} &" for number in numbers]
    environment = {**os.environ, "WORLD_SIZE": "4", "MASTER_ADDR": address, "MASTER_PORT": str(port)}
    return subprocess.Popen(["sh", "-c", "\n".join([*lines, "wait"])], env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def look(*words):
    """The exit status and the findings that are no notes."""
    run = subprocess.run([str(word) for word in (MPSAN, *words, "--report", "json=-")], capture_output=True, text=True)
    assert run.stdout, run.stderr
    return run.returncode, [finding for finding in json.loads(run.stdout)["findings"] if finding["severity"] != "note"]


def check_one_host():
    need_module(system_python(), "torch")
    job = start(range(4), "127.0.0.1", free_port("127.0.0.1"))
    try:
        found = []
        while not found:
            _, found = look("attach", "--no-conf", job.pid)
        assert [one["rule"] for one in found] == ["collective-mismatch"] and found[0]["severity"] == "warning", found
        assert found[0]["message"] == TEXT, found[0]["message"]
        assert sorted(step["rank"] for step in found[0]["evidence"]) == [0, 1, 2, 3], found[0]["evidence"]
    finally:
        kill_group(job.pid)
        job.wait()


def check_two_hosts():
    """Each session has half of the ranks, and says nothing; together they tell it."""
    need_module(system_python(), "torch")
    address = socket.gethostbyname(socket.gethostname())
    port = free_port(address)
    hosts = [start(numbers, socket.gethostname(), port) for numbers in ((0, 1), (2, 3))]
    try:
        found = []
        while not found:
            with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
                for number, host in enumerate(hosts):
                    status, alone = look("attach", "--no-conf", "--dir", f"{place}/host{number}", host.pid)
                    assert status == 0 and not alone, alone
                _, found = look("report", "--no-conf", place)
        assert [one["message"] for one in found] == [TEXT], found
    finally:
        for host in hosts:
            kill_group(host.pid)
            host.wait()


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
