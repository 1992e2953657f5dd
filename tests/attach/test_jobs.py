#!/usr/bin/env python3
"""mpsan attach on a job of several hosts, each with its own name, network and processes: one session each, one report."""
# cases

import contextlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, MPSAN, Skip, kill_group, main, run_bare  # noqa: E402

HOST = ("unshare", "--uts", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c")


def child_of(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@contextlib.contextmanager
def host(name, *command):
    """A host on which a program runs; yields the PID here of its first process."""
    words = [*HOST, 'hostname $0 && echo && "$@"; :', name, *(str(word) for word in command)]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               start_new_session=True)
    try:
        assert process.stdout.readline(), "the host did not start"
        yield child_of(process.pid)[0]
    finally:
        kill_group(process.pid)
        process.wait()
        process.stdout.close()


def attach(first, place, name):
    """What srun or pdsh run on each host."""
    return subprocess.Popen(["nsenter", "--target", first, "--uts", "--net", "--pid", "--mount", str(MPSAN), "attach", "--no-conf",
                             "--dir", f"{place}/%h", "--name", name], stdout=subprocess.PIPE, text=True)


def check_three_hosts():
    """Two hang, each for a reason of its own; the report of all names the hosts."""
    if subprocess.run([*HOST, "hostname node"], capture_output=True).returncode:
        raise Skip("no namespaces here")
    programs = {"node1": BUILD / "tests/preload/waits/deadlock-cycle-mutex", "node2": BUILD / "tests/preload/fork/fork-orphaned-lock-mutex",
                "node3": "sleep"}
    with contextlib.ExitStack() as stack:
        hosts = {name: stack.enter_context(host(name, program, *(["600"] if program == "sleep" else [])))
                 for name, program in programs.items()}
        for _ in range(10):  # the programs may just begin
            with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
                looks = {name: attach(first, place, Path(programs[name]).name) for name, first in hosts.items()}
                ends = {name: (look.communicate(timeout=60)[0], look.returncode) for name, look in looks.items()}
                text = run_bare([MPSAN, "report", "--no-conf", place])
                merged = run_bare([MPSAN, "report", "--no-conf", "--report", "json=-", place])
                assert {one.name for one in Path(place).iterdir()} == set(hosts), ends
                assert "in 2 processes" in ends["node3"][0], ends  # the shell, and what it has started by exec
            if text.exit == 66 and ends["node1"][1] == ends["node2"][1] == 66:
                break
    assert ends["node3"][1] == 0, ends
    read = json.loads(merged.out)
    found = {finding["rule"]: finding for finding in read["findings"] if finding["severity"] == "error"}
    assert {rule: finding["host"] for rule, finding in found.items()} == {"deadlock-cycle": "node1", "fork-orphaned-lock": "node2"}, text
    assert "==node1:" in text.out and "==node2:" in text.out and "3 sessions in one report" in text.out, text.out


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
