#!/usr/bin/env python3
"""mpsan attach, ps and top look at a job: not at the shell or agent above it, nor at their own pipeline."""
# cases

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import running  # noqa: E402
from mpsantest import MPSAN, main  # noqa: E402

def commands(*words):
    """The names of the processes that are shown, and their PIDs."""
    run = subprocess.run([str(word) for word in (MPSAN, "ps", "--json", *words)], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run
    return {(os.path.basename(process["argv"][0]), process["pid"]) for process in json.loads(run.stdout)["processes"]}


def names(*words):
    return sorted(name for name, _ in commands(*words))


def below(pid):
    children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*children, *(one for child in children for one in below(child))]


def named(pid, name, count=1):
    """The first process of that name below another, once there are so many."""
    while True:
        with contextlib.suppress(OSError):
            found = [one for one in below(pid) if Path(f"/proc/{one}/comm").read_text().strip() == name]
            if len(found) >= count:
                return found[0]
        time.sleep(0.05)


def check_script():
    """A shell that only runs one command is not shown; one that runs several is, with all of them."""
    with running("sh", "-c", "sleep 1000; :") as shell:
        assert names(named(shell.pid, "sleep")) == ["sleep"]
        assert names("--tree", shell.pid) == ["sh", "sleep"]
    with running("sh", "-c", "sleep 1000 & sleep 1001; :") as shell:
        assert names(named(shell.pid, "sleep", 2)) == ["sh", "sleep", "sleep"]


def check_agent():
    """What has started the shell: an agent, a terminal, make."""
    agent = "import subprocess\nsubprocess.run(['sh', '-c', 'sleep 1000 & sleep 1001; :'])"
    with running(sys.executable, "-c", agent) as process:
        assert names(named(process.pid, "sleep", 2)) == ["sh", "sleep", "sleep"]


def check_commands_from_input():
    """A shell that reads its commands, as that of some agents and of a terminal without job control."""
    with running("sh", stdin=subprocess.PIPE) as shell:
        shell.stdin.write(b"sleep 1000 & sleep 1001 & wait\n")
        shell.stdin.flush()
        assert names(named(shell.pid, "sleep", 2)) == ["sleep"]


def check_launcher():
    """A program that starts others is of the job, whatever it is."""
    launcher = "import subprocess\nfor one in [subprocess.Popen(['sleep', '1000']) for i in range(2)]: one.wait()"
    with running(sys.executable, "-c", launcher) as process:
        found = commands(named(process.pid, "sleep", 2))
        assert (os.path.basename(sys.executable), process.pid) in found and len(found) == 3, found


PIPELINES = {"head": "{ps} $! | head -100", "tee": "{ps} $! | tee /dev/null | cat", "timeout": "timeout 50 {ps} $!",
             "all": "sleep 0 | timeout 50 {ps} $! 2>&1 | tee /dev/null | head -100"}


def check_own_pipeline():
    """Beside a program in a script, where all have one process group."""
    for line in PIPELINES.values():
        for words, shown in (("ps", {"sleep"}), ("top --once", {"sleep"})):
            script = f"sleep 1000 &\nsleep 1\n{line.format(ps=f'{MPSAN} {words}')}\nkill $!"
            run = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60, start_new_session=True)
            told = set(re.findall(r"^ *\d+ (?:\S*/)?(\w+).*, [\d.]+ \w+ old", run.stdout, re.M))
            assert told == shown, (line, run)


def check_the_script_itself():
    """Its own PID: with what it runs, without what serves mpsan; with --tree, all but mpsan."""
    for option, shown in (("", {"sh", "sleep"}), ("--tree", {"sh", "sleep", "timeout", "cat"})):
        script = f"sleep 1000 &\nsleep 1\ntimeout 50 {MPSAN} ps {option} $$ | cat\nkill $!"
        run = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60, start_new_session=True)
        told = set(re.findall(r"^ *\d+ (?:\S*/)?(\w+).*, [\d.]+ \w+ old", run.stdout, re.M))
        assert told == shown, (option, run)


def check_attach():
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        script = (f"{sys.executable} -c 'import threading; a = threading.Lock(); a.acquire(); a.acquire()' &\nsleep 1\n"
                  f"timeout 50 {MPSAN} attach --no-conf --report json={place}/report $! 2>&1 | cat\nkill $!")
        subprocess.run(["sh", "-c", script], capture_output=True, timeout=60, start_new_session=True)
        report = json.loads(Path(place, "report").read_text())
        assert [process["argv"][0] for process in report["processes"]] == [sys.executable], report["processes"]


def check_wrong():
    run = subprocess.run([MPSAN, "ps", "--tree"], capture_output=True, text=True)
    assert run.returncode == 2 and "--tree is of a process: give its PID" in run.stderr, run


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
