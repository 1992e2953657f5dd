#!/usr/bin/env python3
"""What threads are called, and which of them lived: a name is bound to a thread, not to its TID; the ended have none."""
# cases
# limit: 120

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import (BUILD, Skip, find, main, other_pythons, run_mpsan, show,  # noqa: E402
                       system_python, verdicts)

FORK = "p = os.fork()\nif not p:\n    time.sleep(1.3)\n    os._exit(0)\nos.waitpid(p, 0)\n"
QUICK = "p = os.fork()\nif not p:\n    os._exit(0)\nos.waitpid(p, 0)\n"
PARKED = "threading.Thread(target=threading.Event().wait, daemon=True, name='parked').start()\n"


def program(name, *arguments):
    return [BUILD / "tests/preload/fork" / name, *arguments]


def lists(report):
    """What each note of fork-threads says of the other threads, in the order of the forks."""
    steps = [step for finding in report["findings"] if finding["rule"] == "fork-threads"
             for step in finding["evidence"] if "threads started before: " in step["what"]]
    return [re.sub(r" \(created at [^()]*(\([^()]*\))?\)", "", step["what"].split("threads started before: ")[1])
            for step in sorted(steps, key=lambda step: step["time_ns"])]


def check_ended():
    report = run_mpsan(program("names_ended")).report
    assert lists(report) == ["parked_main, decoder"], lists(report)
    assert " with 3 threads " in find(report, "fork-threads")["message"], lists(report)


def check_leaving():
    """pthread_join returns before the kernel's list has forgotten the thread."""
    report = run_mpsan(program("names_ended", "300")).report
    assert not lists(report), lists(report)


def check_reused():
    """Needs a pid namespace of its own: there it is free to choose the next TID."""
    own = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if subprocess.run([*own, "sh", "-c", "echo 100 > /proc/sys/kernel/ns_last_pid"],
                      stderr=subprocess.DEVNULL).returncode:
        raise Skip("no pid namespace can be made here")
    report = run_mpsan([*own, *program("names_reused")]).report
    assert lists(report) == ["first", "second"], lists(report)


def python(code, which=None):
    return run_mpsan([which or system_python(), "-c", f"import os, threading, time, _thread\n{code}"]).report


def check_renamed():
    """Two places, so that each is a finding of its own."""
    fork = "".join("    " + line for line in FORK.splitlines(keepends=True))
    report = python(f"def once():\n{fork}def again():\n{fork}"
                    "def work():\n    ready.set()\n    end.wait()\n"
                    "ready, end = threading.Event(), threading.Event()\n"
                    "thread = threading.Thread(target=work, name='raw')\nthread.start()\nready.wait()\n"
                    "once()\nthread.name = 'cooked'\nagain()\nend.set()\nthread.join()\n")
    assert lists(report) == ["raw", "cooked"], lists(report)


def check_python_ended():
    """Other threads were there, one of them with the same name."""
    report = python("for _ in range(3):\n    thread = threading.Thread(target=id, args=(0,), name='parked')\n"
                    "    thread.start()\n    thread.join()\n" + PARKED + FORK)
    assert lists(report) == ["parked"], lists(report)


JOINED = """import sys
sys.setswitchinterval(1e-9)
for _ in range(200):
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
"""


def check_python_leaving(which=None):
    """
    Thread.join of 3.12 and before returns while the thread is still on its way out: it gives up the GIL, and waits inside it
    until another thread has taken it if that one asked for it.
    """
    report = python(JOINED, which)
    assert not [finding for finding in report["findings"] if finding["rule"] == "fork-threads"], show(report)


def check_python_asleep(which=None):
    """Threads that hold and want nothing are there all the same: in a call, and in C that Python has started."""
    report = python("import faulthandler, sys\nfaulthandler.dump_traceback_later(50)\n"
                    "inside, asleep = os.pipe()\ndef sleeper(name):\n    os.write(asleep, b'x')\n    time.sleep(50)\n"
                    "threading.Thread(target=sleeper, args=(1,), daemon=True, name='sleeper').start()\n"
                    "_thread.start_new_thread(sleeper, (2,))\nos.read(inside, 1), os.read(inside, 1)\n" + FORK +
                    "os._exit(0)\n", which)
    finding = find(report, "fork-threads")
    assert " with 4 threads " in finding["message"], finding["message"]
    words = finding["evidence"][0]["what"]
    assert words.count("sleeper") == 2, words


def late(begin, which=None):
    """Who forks thrice and ends is known by name in the warning."""
    fork = "".join("        " + line for line in QUICK.splitlines(keepends=True))
    manage = f"done = threading.Event()\ndef manage():\n    for _ in range(3):\n{fork}    done.set()\n"
    report = python(manage + PARKED + begin + "done.wait()\n", which)
    return find(report, "fork-late", "warning")


def check_late(name, begin, which=None):
    finding = late(begin, which)
    assert f'thread "{name}" (TID ' in finding["message"], finding["message"]
    assert "parked" in finding["evidence"][0]["what"], finding["evidence"][0]["what"]


THREAD = "threading.Thread(target=manage, name='manager').start()\n"
BARE = "_thread.start_new_thread(manage, ())\n"
cases = {"ended": check_ended, "leaving": check_leaving, "reused": check_reused, "renamed": check_renamed,
         "python-ended": check_python_ended, "late": functools.partial(check_late, "manager", THREAD),
         "late-bare": functools.partial(check_late, "manage", BARE)}
wanted = other_pythons()
if not os.environ.get("MPSAN_FULL"):
    wanted = {version: wanted[version] for version in ("3.9", "3.13") if version in wanted}
cases.update({"python-leaving": check_python_leaving, "python-asleep": check_python_asleep})
for version, other in wanted.items():
    cases[f"python-leaving@{version}"] = functools.partial(check_python_leaving, other)
    cases[f"python-asleep@{version}"] = functools.partial(check_python_asleep, other)
    cases[f"late@{version}"] = functools.partial(check_late, "manager", THREAD, other)
main(cases)
