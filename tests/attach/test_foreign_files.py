#!/usr/bin/env python3
"""Files that a watched process names as its source: a line is shown only if its user may read it, and nothing else is touched."""
# cases
# limit: 120

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, Skip, kill_group, main, run_bare, system_python  # noqa: E402

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--groups=4712")
# A thread for each name, which waits in a function `forks` of a file of that name; all of them are deadlocked.
PROGRAM = """
import sys, threading
locks = [threading.Lock() for _ in sys.argv[1:]]
for lock in locks: lock.acquire()
def start(name, lock):
    space = {"lock": lock}
    exec(compile("\\ndef forks():\\n    lock.acquire()\\n", name, "exec"), space)
    threading.Thread(target=space["forks"]).start()
for name, lock in zip(sys.argv[1:], locks): start(name, lock)
print(flush=True)
"""
# Two threads, each in a function of one of two files, that wait for each other's lock: a proof even in a core file.
CROSSED = """
import sys, threading
locks, both = [threading.Lock(), threading.Lock()], threading.Barrier(2)
def start(name, first, lock):
    space = {"first": first, "lock": lock, "both": both}
    exec(compile("\\ndef forks():\\n    lock.acquire()\\ndef takes():\\n    with first:\\n        both.wait()\\n        forks()\\n", name, "exec"), space)
    threading.Thread(target=space["takes"]).start()
start(sys.argv[1], *locks)
start(sys.argv[2], *reversed(locks))
print(flush=True)
"""
SOURCE = "# shadow\ndef forks():\n    lock.acquire()  # secret\n"
LINE = "lock.acquire()  # secret"


@contextlib.contextmanager
def workshop():
    with tempfile.TemporaryDirectory(prefix="mpsan-test-", dir="/tmp") as place:
        os.chmod(place, 0o755)
        yield Path(place)


def settle():
    """A file that is as old as the process is no proof of what it ran."""
    time.sleep(0.05)


def report_of(process, place, *before):
    file = place / "report.json"
    run = subprocess.run([*before, str(MPSAN), "attach", "--no-conf", "--report", f"json={file}", str(process.pid)],
                         capture_output=True, text=True, timeout=60)
    assert run.returncode in (0, 66), run
    return json.loads(file.read_text()), run.stdout + run.stderr


def shown(report):
    """{file: line} of all frames of `forks`."""
    return {frame["file"]: frame.get("source") for finding in report["findings"] for step in finding["evidence"]
            for frame in step["python"] or () if frame["function"] == "forks"}


@contextlib.contextmanager
def hanging(place, *names, before=NOBODY, program=PROGRAM):
    settle()
    process = subprocess.Popen([*before, system_python(), "-c", program, *map(str, names)], stdin=subprocess.DEVNULL, cwd="/",
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        process.stdout.readline()
        yield process
    finally:
        kill_group(process.pid)
        process.wait()
        process.stdout.close()


def need_root():
    if os.geteuid():
        raise Skip("only root can attach to another user's process")


def check_rights():
    """By owner, group and others, and by the directories above: as the kernel would decide for that user."""
    need_root()
    with workshop() as place:
        (place / "closed").mkdir(0o700)
        modes = {"secret": (0o600, 0, 0), "common": (0o644, 0, 0), "grouped": (0o640, 0, 4712), "own": (0o400, 65534, 0),
                 "forbidden": (0o044, 65534, 0), "closed/common": (0o644, 0, 0)}
        for name, (mode, uid, gid) in modes.items():
            (place / name).write_text(SOURCE)
            os.chown(place / name, uid, gid)
            (place / name).chmod(mode)
        (place / "link").symlink_to("secret")
        with hanging(place, *(place / name for name in (*modes, "link"))) as process:
            report, text = report_of(process, place)
        wanted = dict.fromkeys(map(str, (place / name for name in (*modes, "link"))))
        wanted |= {str(place / name): LINE for name in ("common", "grouped", "own")}
        assert shown(report) == wanted, (shown(report), text)


def check_own():
    """Somebody who attaches to a process of his own sees what he may read himself."""
    with workshop() as place:
        (place / "code").write_text(SOURCE)
        (place / "code").chmod(0o600)
        with hanging(place, place / "code", before=()) as process:
            assert shown(report_of(process, place)[0]) == {str(place / "code"): LINE}


def check_no_files():
    """A FIFO is not opened: its writer would see that. Nor is a device."""
    with workshop() as place:
        os.mkfifo(place / "fifo", 0o666)
        os.chmod(place / "fifo", 0o666)
        with hanging(place, place / "fifo", "/dev/full", "/proc/kmsg", before=()) as process:
            report, text = report_of(process, place)
            assert shown(report) == {str(place / "fifo"): None, "/dev/full": None, "/proc/kmsg": None}, text
            for number in os.listdir("/proc/self/fd"):
                assert "fifo" not in os.path.realpath(f"/proc/self/fd/{number}")
            try:
                os.close(os.open(place / "fifo", os.O_WRONLY | os.O_NONBLOCK))
                raise AssertionError("the FIFO has a reader")
            except OSError:
                pass


def check_core():
    """A core file is of the user that it belongs to, whatever its notes say."""
    need_root()
    import cores
    with workshop() as place:
        for name, mode in (("secret", 0o600), ("common", 0o644)):
            (place / name).write_text(SOURCE)
            (place / name).chmod(mode)
        with hanging(place, place / "secret", place / "common", program=CROSSED) as process:
            cores.still(process.pid, 3)
            core = cores.gcore(process.pid, place)
        for owner, lines in ((65534, (None, LINE)), (0, (None, LINE))):
            os.chown(core, owner, owner)
            file = place / "core.json"
            run = run_bare([MPSAN, "attach", "--no-conf", "--core", core, "--report", f"json={file}"], 60)
            assert run.exit in (0, 66), run
            found = shown(json.loads(file.read_text()))
            assert (found[str(place / "secret")], found[str(place / "common")]) == lines, (owner, found, run)


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
