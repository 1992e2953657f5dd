#!/usr/bin/env python3
"""The command as newcomers try it: alone, with odd words, as they know it from other tools, on narrow screens."""
# cases

import contextlib
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, MPSAN, kill_group, main, run_bare  # noqa: E402

USAGE = 2
COMMANDS = ("run", "attach", "report", "check", "ps", "top", "ipc", "dump", "explain", "list", "doctor", "env")


@contextlib.contextmanager
def hanging():
    process = subprocess.Popen([BUILD / "tests/preload/waits/deadlock-cycle-mutex"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield process.pid
    finally:
        kill_group(process.pid)
        process.wait()


def refused(*words, says=(), cwd=None):
    run = subprocess.run([MPSAN, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, cwd=cwd)
    assert run.returncode == USAGE and not run.stdout and run.stderr.startswith("mpsan: ") and run.stderr.count("\n") == 1, (words, run)
    for part in says:
        assert part in run.stderr, (words, part, run.stderr)


def check_alone():
    """The three ways to begin, before all else, and it fits a screen."""
    run = run_bare([MPSAN])
    assert run.exit == USAGE and not run.out, run
    head = run.err.split("\n\n")[1].splitlines()
    assert [line.split("  ")[1].strip() for line in head] == ["$ mpsan run -- python3 train.py", "$ mpsan attach PID", "$ pytest --mpsan"], head


def check_width():
    """Help of each command, and of all, fits 80 columns."""
    for words in (["--help"], ["list", "options"], *([command, "--help"] for command in COMMANDS)):
        long = [line for line in run_bare([MPSAN, *words]).out.splitlines() if len(line) > 80]
        assert not long, (words, long)


def check_help():
    """Says what the command does, wherever the word stands."""
    for command in COMMANDS:
        run = run_bare([MPSAN, command, "--help"])
        first, _, does = run.out.splitlines()[:3]
        assert run.exit == 0 and first.startswith(f"usage: mpsan {command}") and len(does.split()) > 3, run
    for words in (["ps", "--json", "-h"], ["dump", "/nowhere", "--help"], ["top", "--once", "--help"], ["explain", "hang", "-h"]):
        run = run_bare([MPSAN, *words])
        assert run.exit == 0 and run.out.startswith(f"usage: mpsan {words[0]}") and not run.err, (words, run)


def check_pid():
    """A PID behind -p or --pid, as strace, gdb and py-spy take it."""
    with hanging() as pid, tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        for words in (["ps", "-p", pid], ["ps", f"-p{pid}"], ["ps", f"--pid={pid}", "--json"], ["top", "--once", "--pid", pid]):
            run = run_bare([MPSAN, *words])
            assert run.exit == 0 and "deadlock-cycle" in run.out and not run.err, (words, run)
        for words in (["-p", pid], [f"-p{pid}"], ["--pid", pid], [f"--pid={pid}", "--fail-on", "never"]):
            run = run_bare([MPSAN, "attach", "--no-conf", *words])
            assert run.exit in (0, 66) and not run.err and f"=={pid}== mpsan: error: " in run.out, (words, run)
        os.mkdir(f"{place}/{pid}")
        refused("ps", pid, cwd=place, says=["no session here"])
        run = subprocess.run([MPSAN, "ps", "-p", str(pid)], cwd=place, capture_output=True, text=True, timeout=60)
        assert run.returncode == 0 and "held by" in run.stdout, run
    for words in (["attach", "-p"], ["attach", "--pid"], ["attach", "-p", "--json"], ["attach", "-px"], ["ps", "-p"], ["ps", "-p", "x"],
                  ["top", "--pid=", "--once"], ["ps", "-p", "1", "2"], ["ps", "-p", 0], ["attach", "-p", 0]):
        refused(*words)
    refused("ipc", "-p", 1, says=["unknown option -p"])
    refused("ipc", "--tree", 1, says=["unknown option --tree", "mpsan ipc [--json] [DIR]"])
    for word in ("version", "--version", "-V"):
        refused(word, "--json", says=[f"{word} takes nothing more: --json"])


def check_no_session():
    """Both things that would have done are named."""
    for command in ("ps", "top"):
        for word in ("abc", "", "/nowhere/at/all", "99999999999", "12a"):
            refused(command, word, says=["PID", "session directory"])
    refused("ps", "/etc/passwd", says=["Not a directory"])
    refused("ps", "/etc", says=["no session here"])
    for command in ("report", "dump", "ipc"):
        refused(command, "abc", says=["expected a session directory"])


def check_forgotten():
    """An option is no value of the one before it, and -- is none."""
    for words in (["run", "--dir", "--", "true"], ["run", "--dir", "--fail-on", "error", "--", "true"], ["run", "--report", "--", "true"],
                  ["run", "--hang-after", "--dir=x", "--", "true"], ["report", "--baseline", "--policy", "ci", "x"], ["env", "--dir", "--"]):
        refused(*words, says=["missing"])
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        run = subprocess.run([MPSAN, "run", "--no-conf", "--dir=--", "--", "true"], cwd=place, capture_output=True, text=True, timeout=60)
        assert run.returncode == 0 and os.path.exists(f"{place}/--/session"), run
    refused("attach", "--no-conf", "--name", "--no-such-program", says=["no process has"])


def check_program_alone():
    """Whoever forgets the command is told it."""
    refused("python3", "train.py", says=["'mpsan run -- python3'"])
    refused("./train.py", says=["'mpsan run -- ./train.py'"])
    refused("1234", says=["'mpsan attach 1234'"])
    refused("--verison", says=["'mpsan help'"])
    refused("", says=["'mpsan help'"])


def on_terminal(*words, **variables):
    """What a command prints on a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([MPSAN, *map(str, words)], env={**os.environ, **variables}, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
    os.close(theirs)
    text = b""
    with contextlib.suppress(OSError):  # how a terminal says that nobody is left
        while piece := os.read(ours, 65536):
            text += piece
    os.close(ours)
    process.wait()
    return text.decode()


def check_colours():
    """On a terminal that has some, unless they are not wanted."""
    with hanging() as pid, tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        run_bare([MPSAN, "attach", "--no-conf", "--dir", f"{place}/session", pid])
        for words in (["report", "--no-conf", f"{place}/session"], ["ps", pid]):
            for coloured, variables in ((True, {"TERM": "xterm", "NO_COLOR": ""}), (False, {"TERM": "xterm", "NO_COLOR": "1"}),
                                        (False, {"TERM": "dumb", "NO_COLOR": ""})):
                text = on_terminal(*words, **variables)
                assert "held by" in text and ("\033[1;31m" in text) == coloured, (words, variables, text)


def check_capitals():
    refused("explain", "FORK-THREADS", says=["did you mean fork-threads?"])
    refused("Run", says=["did you mean run?"])


def check_odd_words():
    """No argument, one too many, an option that nobody has: one line, status 2."""
    for words in (["run"], ["run", "--"], ["attach"], ["report"], ["check"], ["check", "x"], ["dump"], ["explain"], ["list"],
                  ["dump", "a", "b"], ["ps", "a", "b"], ["top", "a", "b"], ["explain", "hang", "hang"], ["list", "rules", "x"], ["env", "x"],
                  ["help", "x"], ["help", "run", "x"], ["ipc", "a", "b"], ["attach", "--core"], ["attach", "--core", "/"],
                  ["attach", "--core", "/nowhere"], ["attach", "/etc/passwd"], ["report", "/etc/passwd"], ["run", "--conf", "/", "--", "true"],
                  *([command, "--no-such-option"] for command in COMMANDS)):
        refused(*words)


if __name__ == "__main__":
    main({name[6:].replace("_", "-"): case for name, case in list(globals().items()) if name.startswith("check_")})
