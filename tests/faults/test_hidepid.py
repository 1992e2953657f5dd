#!/usr/bin/env python3
"""A /proc that hides processes (hidepid): what cannot be seen is not dead, and what can be proven still is."""
# cases
# limit: 120

import functools
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from faults import program  # noqa: E402
from mpsantest import FINDINGS_EXIT, LIBRARY, MPSAN, Skip, main, run_bare  # noqa: E402

NOBODY = "setpriv --reuid=65534 --regid=65534 --clear-groups "
OWN = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--propagation", "private", "--kill-child"]


def hiding(how, script):
    """Runs a shell script in a pid namespace whose /proc hides processes that its user may not trace."""
    hide = [*OWN, "sh", "-c", f"mount -o remount,hidepid={how} /proc && {{ {script}\n}}"]
    if subprocess.run([*hide[:-1], f"mount -o remount,hidepid={how} /proc"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("no /proc of its own, mounted with hidepid, can be had here: it takes root")
    return run_bare(hide, timeout=100)


def place():
    """The command, the library and the program where any user reaches them."""
    directory = Path(tempfile.mkdtemp(dir="/tmp"))
    for file in (MPSAN, LIBRARY, program("hides")):
        shutil.copy(file, directory)
    directory.chmod(0o1777)
    return directory


def watched(how, what, options="--on-deadlock=kill"):
    directory = place()
    try:
        return hiding(how, f"cd {directory}; TMPDIR={directory} exec {NOBODY}./mpsan run {options} -- ./hides {what}")
    finally:
        shutil.rmtree(directory)


def check_helped(how, what):
    run = watched(how, what)
    assert run.exit == 0 and "0 errors, 0 warnings" in run.err, run
    assert "hides processes of this session (hidepid)" in run.err and "remount,hidepid=0 /proc" in run.err, run


def check_deadlock():
    """What lies in processes that are seen is proven as ever."""
    run = watched("invisible", "mutex deadlock")
    assert run.exit == FINDINGS_EXIT and "error: deadlock-cycle" in run.err, run


def check_doctor():
    run = hiding("invisible", f"{NOBODY}{MPSAN} doctor; true")
    lines = run.out.split("warn /proc: ")
    assert len(lines) == 2 and "remount,hidepid=0 /proc" in lines[1].splitlines()[1], run


def check_others(script, *cases):
    """The tests of processes that may not be looked at, in such a place."""
    run = hiding("invisible", f"exec {HERE / script} {' '.join(cases)}")
    assert run.exit == 0, run.out + run.err


main({**{f"{how}-{what}": functools.partial(check_helped, how, what)
         for how, what in (("invisible", "mutex"), ("invisible", "semaphore"), ("invisible", "pipe"),
                           ("noaccess", "mutex"), ("noaccess", "semaphore"), ("ptraceable", "semaphore"))},
      "deadlock": check_deadlock, "doctor": check_doctor,
      "registry": functools.partial(check_others, "test_registry.py", "forbidden"),
      "ps": functools.partial(check_others, "test_ps.py", "undumpable", "word_of_the_supervisor")})
