#!/usr/bin/env python3
"""The ledger of shared memory from beside the program: mpsan ps --memory while it runs and after, another /dev/shm, and
names that others keep in use."""
# cases

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, Skip, dump, find, main, run_bare, run_mpsan, system_python  # noqa: E402

PATIENCE = 30
HOLDS = """
import sys
from multiprocessing import shared_memory, Process, Event

def attach(name, ready, done):
    memory = shared_memory.SharedMemory(name)
    ready.set()
    done.wait()
    memory.close()

memory = shared_memory.SharedMemory(create=True, size=3 << 20)
ready, done = Event(), Event()
child = Process(target=attach, args=(memory.name, ready, done))
child.start()
ready.wait()
print(memory.name, child.pid, flush=True)
sys.stdin.readline()
done.set()
child.join()
memory.close()
memory.unlink()
"""
LEAVES = """
from multiprocessing import resource_tracker, shared_memory
memory = shared_memory.SharedMemory(create=True, size=4096)
resource_tracker.unregister(memory._name, "shared_memory")
print(memory.name, flush=True)
"""
ODD_NAME = "mpsan-test\\n==1== mpsan: error\\x1b[31m"
LEAVES_ODD = f"""
import _posixshmem, os
fd = _posixshmem.shm_open("/{ODD_NAME}", os.O_CREAT | os.O_RDWR, mode=0o600)
os.ftruncate(fd, 4096)
"""
STAYS = """
import _posixshmem
import mmap
import os
import time
name = f"/mpsan-test-stays-{os.getpid()}"
fd = _posixshmem.shm_open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode=0o600)
os.ftruncate(fd, 4096)
memory = mmap.mmap(fd, 4096)
print(name[1:], flush=True)
if not os.fork():
    os.setsid()
    for fd in (0, 1, 2):
        os.close(fd)
    while os.path.exists(f"/dev/shm{name}"):
        time.sleep(0.01)
os._exit(0)
"""


def memory_of(session):
    run = run_bare([MPSAN, "ps", "--memory", "--json", session])
    assert run.exit == 0, run.err
    return json.loads(run.out)


def wait_for(seen):
    """What `seen` returns, once it is true; logs are read a moment after they were written."""
    until = time.monotonic() + PATIENCE
    while not (found := seen()):
        assert time.monotonic() < until, "it never came"
        time.sleep(0.01)
    return found


def check_live():
    """Maker, mappers and name while the program runs; nothing but the sum when it has ended."""
    session = tempfile.mkdtemp()
    program = subprocess.Popen([MPSAN, "run", "--dir", f"{session}/s", "--", system_python(), "-c", HOLDS], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        name, child = program.stdout.readline().split()
        document = wait_for(lambda: (found := memory_of(f"{session}/s"))["segments"] and found)
        segment, = document["segments"]
        assert document["schema"] == "mpsan.ps-memory/1" and document["live"], document
        assert segment["name"] == name and segment["bytes"] == 3 << 20 and segment["linked"], segment
        assert {user["pid"] for user in segment["mappers"]} == {segment["made"]["pid"], int(child)}, segment
        text = run_bare([MPSAN, "ps", "--memory", f"{session}/s"]).out
        assert name in text and "3 MiB" in text and "mapped by" in text and child in text, text
    finally:
        program.communicate("\n", timeout=PATIENCE)
    document = memory_of(f"{session}/s")
    assert document["segments"] == [] and document["made"] == {"segments": 1, "bytes": 3 << 20}, document


def check_none():
    with tempfile.TemporaryDirectory() as place:
        run_mpsan(["/bin/true"], ["--dir", f"{place}/s"])
        assert memory_of(f"{place}/s")["segments"] == []
        assert "none created" in run_bare([MPSAN, "ps", "--memory", f"{place}/s"]).out


def check_left():
    """A name that is left is in the dump, in the report, and in ps as long as it is there."""
    with tempfile.TemporaryDirectory() as place:
        run = run_mpsan([system_python(), "-c", LEAVES], ["--dir", f"{place}/s"])
        name = run.out.split()[0]
        try:
            assert name in find(run.report, "shm-leaked", "error")["message"], run.report
            assert [event["name"] for event in dump(f"{place}/s") if event["event"] == "shm_left"] == [name]
            assert [segment["linked"] for segment in memory_of(f"{place}/s")["segments"]] == [True]
        finally:
            os.unlink(f"/dev/shm/{name}")
        assert memory_of(f"{place}/s")["segments"] == []


def check_odd_name():
    """A name with a line end and an escape sequence stays on its line of the text."""
    name = ODD_NAME.encode().decode("unicode_escape")
    try:
        run = run_bare([MPSAN, "run", "--report", "text=-", "--", system_python(), "-c", LEAVES_ODD])
    finally:
        os.unlink(f"/dev/shm/{name}")
    assert "mpsan-test ==1== mpsan: error [31m" in run.out and "\x1b" not in run.out, run.out


def check_in_use():
    """A process that stays has it mapped: it may remove the name yet."""
    with tempfile.TemporaryDirectory() as place:
        run = run_mpsan([system_python(), "-c", STAYS], ["--dir", f"{place}/s"])
        name = run.out.split()[0]
        os.unlink(f"/dev/shm/{name}")
        assert not [found for found in run.report["findings"] if found["rule"] == "shm-leaked"], run.report


def check_other_namespace():
    """The supervisor says that it did not look where it cannot."""
    inner = [system_python(), "-c", LEAVES]
    if run_bare(["unshare", "-m", "true"]).exit:
        raise Skip("no right to make a mount namespace")
    run = run_mpsan(["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /dev/shm && exec "$@"', "sh", *inner])
    assert any("another /dev/shm" in line for line in run.report["limits"]), run.report["limits"]
    assert not [found for found in run.report["findings"] if found["rule"] == "shm-leaked"], run.report


main({"live": check_live, "none": check_none, "left": check_left, "odd_name": check_odd_name,
      "in_use": check_in_use, "other_namespace": check_other_namespace})
