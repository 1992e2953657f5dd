#!/usr/bin/env python3
"""mpsan top on a terminal: what it shows of a program that hangs, its keys, sizes, ends, and terminals it cannot use."""
# cases

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, program, scratch  # noqa: E402
from mpsantest import BUILD, LIBRARY, MPSAN, kill_group, main, run_bare, system_python  # noqa: E402
from terminal import Terminal  # noqa: E402

USAGE, PATIENCE = 2, 20
PROGRAM = BUILD / "tests/preload/fork/fork-orphaned-lock-mutex"
LAUNCHER = """
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char byte;
	int gate = open(argv[1], O_RDONLY);
	while (argc && read(gate, &byte, 1) > 0)
		;
	return execv(argv[2], argv + 2);
}
"""
COUNTER = """
import sys, time
for i in range(1000):
    print(i, flush=True)
    time.sleep(0.01)
"""


@contextlib.contextmanager
def session(command=(PROGRAM,), **how):
    """A program under mpsan run: (process, directory of the session)."""
    directory = scratch("session")
    process = subprocess.Popen([MPSAN, "run", "--dir", directory, "--", *command], stdin=subprocess.DEVNULL,
                               stdout=how.get("stdout", subprocess.DEVNULL), stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        end = time.monotonic() + PATIENCE
        while not list(directory.glob("*.log")) and time.monotonic() < end:
            time.sleep(0.02)
        yield process, directory
    finally:
        kill_group(process.pid)
        process.wait()


def top(*arguments, **how):
    return Terminal([MPSAN, "top", "--interval", "0.2", *arguments], **how)


def leave(terminal, key="q", status=0):
    terminal.keys(key)
    assert terminal.end() == status, terminal.process.returncode
    assert termios.tcgetattr(terminal.slave) == terminal.before, "the terminal's modes are not as they were"
    assert terminal.screen.modes[1049] is False and terminal.screen.modes[25] is True, terminal.screen.modes


def has(*words):
    return lambda lines: all(any(word in line for line in lines) for word in words)


def check_hang():
    """Who waits, for what, since when, who has it; the finding; and the keys."""
    with session() as (_, directory), top(directory, width=200) as terminal:
        lines = terminal.until(has("(3 forever)", "1 error, 0 warnings, 1 note", "/dev/shm",
                                   'main thread waits forever (', 'for mutex "lock", held by thread',
                                   "which the fork did not copy", "ago: error: fork-orphaned-lock", "q quit"))
        pid = next(line.split()[0] for line in lines if "fork-orphaned-lock-mutex (fork)" in line)
        terminal.keys("jjjj\r")
        terminal.until(has(f"process {pid}, TID {pid}, waiting", "child_wants tests/preload/fork/fork-orphaned-lock-mutex.c:", "native:"))
        terminal.keys("\x1b")
        terminal.until("processes and their waits")
        terminal.keys("t")
        terminal.until(has("threads, longest wait first", f"  {pid} main thread waits forever"))
        terminal.keys("s")
        terminal.until("threads by name")
        terminal.keys("f")
        terminal.until("findings, newest first  1-2 of 2")
        terminal.keys("/orphaned\r")
        terminal.until("findings, newest first  1-1 of 1")
        terminal.keys("\r")
        terminal.until(has("  1. thread", "held mutex"))
        terminal.keys("m")
        terminal.until("no line contains \"orphaned\"")
        terminal.keys("\x1b")
        terminal.until("no shared memory created")
        terminal.keys("?")
        terminal.until("quit; the program keeps running")
        leave(terminal)


def check_pause():
    with session() as (_, directory), top(directory) as terminal:
        terminal.until("q quit")
        terminal.keys("p")
        paused = terminal.until("PAUSED")
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            terminal.read(0.1)
        assert terminal.screen.lines() == paused, "it went on"
        terminal.keys("p")
        terminal.until(lambda lines: "PAUSED" not in lines[0] and lines[0] != paused[0])
        leave(terminal)


def check_sizes():
    """The screen follows its size, down to next to nothing."""
    with session() as (_, directory), top(directory) as terminal:
        terminal.until("q quit")
        for height, width in ((50, 150), (5, 20), (2, 5), (10, 40)):
            terminal.resize(height, width)
            wanted, line = ("q quit", -1) if height > 2 else ("too", 0)
            terminal.until(lambda lines, wanted=wanted, line=line: lines[line].startswith(wanted))
        lines = terminal.until(has("1 error", "fork-orphaned-lock-mutex (fork)", "ago: error"))
        assert lines[9].startswith("q quit"), lines
        terminal.keys("jjj")
        terminal.until("fork-orphaned-lock-mutex (fork)")
        leave(terminal)


def check_early():
    """A session in which nothing has run so far is waited for."""
    static, gate = build(LAUNCHER, scratch("launcher"), "-static"), scratch("gate")
    os.mkfifo(gate)
    directory = scratch("session")
    process = subprocess.Popen([MPSAN, "run", "--dir", directory, "--", static, gate, PROGRAM], start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        writer = os.open(gate, os.O_WRONLY)  # succeeds once the launcher runs
        with top(directory) as terminal:
            terminal.until("no process yet")
            os.close(writer)  # and now it goes on
            terminal.until(has("mpsan top: fork-orphaned-lock-mutex", "(3 forever)"))
            leave(terminal)
    finally:
        kill_group(process.pid)
        process.wait()


def check_end():
    """The last picture stays, with what was found at the end; so it does where the directory is gone."""
    with session() as (process, directory), top(directory, width=200) as terminal:
        terminal.until("(3 forever)")
        kill_group(process.pid)
        terminal.until(has("ENDED: last state", 'main thread waits forever (', "(3 forever)"))
        leave(terminal)
    with session() as (process, directory), top(directory, width=200) as terminal:
        terminal.until("(3 forever)")
        shutil.rmtree(directory)
        terminal.until(has("directory GONE", "(3 forever)"))
        leave(terminal)
    with session() as (process, directory):
        with top(directory, width=200) as terminal:
            terminal.until("(3 forever)")
        kill_group(process.pid)
        process.wait()
        while json.loads(run_bare([MPSAN, "ps", "--json", directory]).out)["live"]:
            time.sleep(0.05)
        with top(directory, width=200) as terminal:
            terminal.until(has("ENDED before: last known state", "waited forever for mutex"))
            leave(terminal)


def check_signal():
    """^C restores the terminal as q does, and so does SIGTERM."""
    with session() as (_, directory):
        with top(directory) as terminal:
            terminal.until("q quit")
            leave(terminal, key="\x03", status=130)
        with top(directory) as terminal:
            terminal.until("q quit")
            terminal.process.send_signal(signal.SIGTERM)
            leave(terminal, key="", status=143)


def check_hang_up():
    with session() as (_, directory), top(directory) as terminal:
        terminal.until("q quit")
        os.close(terminal.master)
        terminal.master = None
        assert terminal.process.wait(10) in (0, 129), terminal.process.returncode


def check_hostile():
    """Names that would speak to the terminal, or are no text at all, stay words on their lines."""
    names = b"a\x1b[2J\x07\xff\xfez", "b\x1b[2J\x07中文\u202e\u009b31m\tz\u0301"
    with session([system_python(), "-c", "import time; time.sleep(60)", *names]) as (_, directory):
        with top(directory, width=100) as terminal:
            terminal.until(has("time.sleep(60)"))
            terminal.keys("\r")
            terminal.until(has("a [2J ??z b", r"[2J 中文\u202e\u009b31m z"))
            leave(terminal)


def check_colours():
    with session() as (_, directory):
        for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            with top(directory, **environment) as terminal:
                terminal.until(has("main thread waits forever", "q quit"))
                assert (b"[31m" in terminal.raw or b";31m" in terminal.raw) == coloured, terminal.raw
                leave(terminal)


class Exporter:
    """A process of registry.c in a session without a supervisor; it does what it is told."""

    def __init__(self, directory):
        env = {**os.environ, "LD_LIBRARY_PATH": str(BUILD / "fake"), "MPSAN_DIR": str(directory),
               "MPSAN_OPTIONS": "auto-export=0", "LD_PRELOAD": str(LIBRARY)}
        self.process = subprocess.Popen([program("registry")], env=env, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.pid = int(self.answer()[1])

    def answer(self):
        words = self.process.stdout.readline().split()
        assert words and words[0] == "0", words
        return words

    def ask(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        return self.answer()


def check_exports():
    """Exported device memory, and who has it open."""
    directory = scratch("session")
    directory.mkdir(mode=0o700)
    owner, user = Exporter(directory), Exporter(directory)
    user.ask("find", owner.pid, owner.ask("alloc", 2 << 20, 1)[1])
    user.ask("open")
    with top(directory, width=120) as terminal:
        terminal.until("exports of device memory: 1 (2 MiB), importers: 1")
        terminal.keys("m")
        terminal.until(f"2 MiB  of device 0 exported by process {owner.pid} (malloc), open in 1 process")
        leave(terminal)
    for exporter in (user, owner):
        exporter.process.communicate("exit\n", timeout=PATIENCE)


def check_unusable():
    """Not a terminal, or one that cannot move its cursor: one line, and another way."""
    with session() as (_, directory):
        run = run_bare([MPSAN, "top", directory])
        assert run.exit == USAGE and not run.out and len(run.err.splitlines()) == 1 and "--once" in run.err, run
        for term in ("dumb", "no-such-terminal", ""):
            with top(directory, TERM=term) as terminal:
                assert terminal.end() == USAGE
                assert b"mpsan ps" in terminal.raw and terminal.raw.count(b"\n") == 1, terminal.raw
        with top(directory) as terminal:
            terminal.until("1 error")
            leave(terminal)
        run = run_bare([MPSAN, "top", "--once", directory])
        assert run.exit == 0 and not run.err and "\x1b" not in run.out, run
        assert has("mpsan top: fork-orphaned-lock-mutex", "waits forever (", "error: fork-orphaned-lock")(run.out.splitlines())
    for wrong in (["--interval", "0"], ["--interval", "x"], ["--interval"], ["--interval=nan"], ["--json"], ["--what"],
                  ["/nowhere"]):
        run = run_bare([MPSAN, "top", *wrong])
        assert run.exit == USAGE and not run.out and len(run.err.splitlines()) == 1, (wrong, run)


def check_undisturbed():
    """A program that is looked at prints what it prints, and ends as it ends."""
    with session([system_python(), "-c", COUNTER.replace("1000", "100")], stdout=subprocess.PIPE) as (process, directory):
        with top(directory) as terminal:
            terminal.until("1 process, 1 thread")
            out = process.communicate(timeout=PATIENCE)[0]
            assert out.split() == [str(i).encode() for i in range(100)] and process.returncode == 0, out
            terminal.until("ENDED")
            leave(terminal)


if __name__ == "__main__":
    main({name[6:]: case for name, case in list(globals().items()) if name.startswith("check_")})
