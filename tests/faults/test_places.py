#!/usr/bin/env python3
"""What lies in the place of a session's files (a pipe, a socket, a device, a link, a directory) is never waited for:
the commands that read sessions end, and so does `mpsan run` whose own program puts it there."""
# cases

import functools
import os
import shutil
import socket
import stat
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import preload, program, run_bare, scratch  # noqa: E402
from mpsantest import MPSAN, Skip, main, system_python  # noqa: E402

READERS = (["report"], ["ps"], ["ps", "--memory"], ["top", "--once"], ["ipc"], ["dump"],
           ["check", "--baseline", "/dev/null"])
PATIENCE_S = 30  # a command that waits for a pipe waits for ever


def make_link(path):
    pipe = path.parent / "elsewhere"
    os.mkfifo(pipe)
    path.symlink_to(pipe)


def make_socket(path):
    where = os.getcwd()
    os.chdir(path.parent)  # the name of a socket is short
    socket.socket(socket.AF_UNIX).bind(path.name)
    os.chdir(where)


def make_device(path):
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(5, 0))  # the terminal
    except PermissionError:
        raise Skip("needs root") from None


MAKERS = {"pipe": os.mkfifo, "socket": make_socket, "device": make_device, "link": make_link, "directory": Path.mkdir}


@functools.lru_cache
def recorded():
    place = scratch("session")
    run = run_bare([program("workout"), "threads,locks,forks"], env=preload(session=place))
    assert run.exit == 0, run
    return place


def check_readers(make):
    log = next(file.name for file in recorded().glob("*.log"))
    for name in ("session", "exports", log):
        place = scratch("copy")
        shutil.copytree(recorded(), place)
        (place / name).unlink(missing_ok=True)
        make(place / name)
        for words in READERS:
            run = run_bare([MPSAN, *words, place], PATIENCE_S)
            assert run.exit in (0, 2), (name, words, run)
            if name == "session":
                assert run.exit == 2 and run.err.count("\n") == 1 and f"{place}/session" in run.err, (words, run)
            assert "Bad file" not in run.err and "in bad state" not in run.err, run.err


REPLACE = """
import os, sys, glob
place = os.environ["MPSAN_DIR"]
os.mkfifo(place + "/exports")
for number in range(200):
    try: os.mkfifo(f"{place}/{number}.log")
    except FileExistsError: pass
for log in glob.glob(place + "/*.log"):
    os.unlink(log)
    os.mkfifo(log)
if os.fork() == 0:
    os._exit(0)
os.wait()
print("through", flush=True)
"""


def check_own_program():
    """A program that puts pipes into its own session keeps its status, and its `mpsan run` an end."""
    run = run_bare([MPSAN, "run", "--", system_python(), "-c", REPLACE + "sys.exit(3)"], PATIENCE_S)
    assert (run.exit, run.out) == (3, "through\n"), run


def check_removed():
    """A program that removes its own session is told so, once, and goes on."""
    place = scratch("removed")
    remove = f"import shutil, subprocess, time; shutil.rmtree({str(place)!r}); time.sleep(0.5); subprocess.run('true')"
    run = run_bare([MPSAN, "run", "--dir", place, "--", system_python(), "-c", remove + "; raise SystemExit(3)"], PATIENCE_S)
    assert run.exit == 3, run
    assert run.err.count(f"mpsan: the session directory {place} was removed; the program goes on unwatched\n") == 1, run.err
    assert "was removed while the program ran" in run.err and "TMPDIR" not in run.err, run.err


def check_program_pipe():
    """What is to be run is no program, but a pipe."""
    pipe = scratch("pipe")
    os.mkfifo(pipe, 0o755)
    run = run_bare([MPSAN, "run", "--", pipe], PATIENCE_S)
    assert run.exit == 126, run
    assert run_bare([MPSAN, "doctor", "--", pipe], PATIENCE_S).exit in (0, 1)


def check_given():
    """What people hand over may well be a pipe."""
    script = f'"{MPSAN}" report --suppressions <(echo "fork-threads:nothing") --baseline <(true) "$1"'
    run = run_bare(["bash", "-c", script, "sh", recorded()], PATIENCE_S)
    assert run.exit == 0, run
    run = run_bare(["sh", "-c", f'echo "*:nothing" | "{MPSAN}" report --suppressions /dev/stdin "$1"', "sh", recorded()])
    assert run.exit == 0, run


def check_planted():
    """Somebody else has made the directory where plain preloading puts its sessions: he is named, once, and the program runs."""
    if os.geteuid():
        raise Skip("only root can give a directory to somebody else")
    place = scratch("shared")
    (place / "mpsan-0").mkdir(parents=True)
    os.chown(place / "mpsan-0", 4711, 4711)
    run = run_bare(["sh", "-c", "/bin/true; /bin/true; echo done"], env=preload(TMPDIR=place))
    assert (run.exit, run.out) == (0, "done\n") and len(run.err.splitlines()) == 1, run
    assert f"{place}/mpsan-0 belongs to another user (uid 4711)" in run.err, run


def check_by_the_loader():
    """The loader is given mpsan as an argument: the kernel knows the loader only."""
    loader = next((path for path in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1") if os.path.exists(path)), None)
    if not loader:
        raise Skip("no loader known here")
    run = run_bare([loader, MPSAN, "run", "--", "sh", "-c", "exit 3"], PATIENCE_S)
    assert run.exit == 3 and "libmpsan.so is not" not in run.err, run


main({**{f"readers_{name}": functools.partial(check_readers, make) for name, make in MAKERS.items()},
      "own_program": check_own_program, "removed": check_removed,
      "program_pipe": check_program_pipe, "planted": check_planted, "by_the_loader": check_by_the_loader, "given": check_given})
