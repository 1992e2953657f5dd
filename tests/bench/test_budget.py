#!/usr/bin/env python3
"""What the library adds to one operation stays within budget.txt: system calls, instructions and page faults, which do not depend on
how busy the machine is."""
# cases
# serial: fork:calls fork-python:calls
# limit: 120

import functools
import os
import re
import resource
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import BUILD, LIBRARY, ROOT, Skip, main, run_bare, system_python  # noqa: E402

FEW, MANY = 20, 120
SHORT = 100  # so many times more of operations whose instructions are counted
SCRIPTS = {"fork-python": "forks.py", "fork-python-held": "forks.py", "shell": "shell.sh"}
TOLERANCE = 1.02
TRIES = 3
LOADER = "/lib64/ld-linux-x86-64.so.2"  # of x86-64, as the numbers are
RACES = "futex,wait4,restart_syscall,rt_sigreturn,sched_yield"  # how often they are called depends on who comes first


@functools.cache
def fixed():
    """Words before a command that map things at the same place each time: how many pages a copy crosses, or one fault maps,
    depends on it."""
    return ["setarch", "-R"] if shutil.which("setarch") and run_bare(["setarch", "-R", "true"]).exit == 0 else []


def command_of(operation, count):
    if operation == "start":
        return ["/bin/true"]
    if operation not in SCRIPTS:
        return [BUILD / "tests/bench/bench", operation, count]
    runs = "bash" if operation == "shell" else system_python()
    return [runs, ROOT / "tests/bench" / SCRIPTS[operation], count, *(["held"] if operation.endswith("held") else ())]


def environment(directory, watched):
    return {"LD_LIBRARY_PATH": str(BUILD / "fake"), **({"LD_PRELOAD": str(LIBRARY), "MPSAN_DIR": f"{directory}/s"} if watched else {})}


def calls(operation, count, watched):
    with tempfile.TemporaryDirectory() as directory:
        table = Path(directory, "calls")
        env = [word for name, value in environment(directory, watched).items() for word in ("-E", f"{name}={value}")]
        run = run_bare(["env", "-i", "PATH=/usr/bin:/bin", *fixed(), "strace", "-f", "-c", "-U", "calls,name", "-e", f"trace=!{RACES}", "-o", table, *env,
                        *command_of(operation, count)], timeout=60)
        assert run.exit == 0, run
        return int(re.search(r"^ *(\d+) total$", table.read_text(), re.M)[1])


def instructions(operation, count, watched):
    """In an environment of its own, and with the library in the counted image alone, not in valgrind's before it: the second image
    of a process looks again after a second, which a busy machine lets pass."""
    with tempfile.TemporaryDirectory() as directory:
        variables = environment(directory, watched)
        loader = [LOADER, *(["--preload", variables.pop("LD_PRELOAD")] if watched else [])]
        env = ["env", "-i", f"PATH={os.environ['PATH']}", *(f"{name}={value}" for name, value in variables.items())]
        run_bare([*env, *loader, "/bin/true"])  # makes the session
        run = run_bare([*env, "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *loader,
                        *command_of(operation, count)], timeout=60)
    assert run.exit == 0, run
    return int(re.findall(r"Collected : (\d+)", run.err)[-1])


def faults(operation, count, watched):
    """Of all processes: those that a command waits for count for it."""
    with tempfile.TemporaryDirectory() as directory:
        env = {"PATH": os.environ["PATH"], **environment(directory, watched)}
        run_bare(["/bin/true"], env=env)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        assert run_bare([*fixed(), *command_of(operation, count)], env=env).exit == 0
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before


def cost(operation, counted, watched):
    """Of one operation, or of a whole program."""
    if operation == "start":
        return counted(operation, 1, watched)
    times = SHORT if counted is instructions else 1
    return (counted(operation, MANY * times, watched) - counted(operation, FEW * times, watched)) / (MANY - FEW) / times


def min_within(allowed, measure):
    """The least of some tries, up to the first that is allowed: a busy machine lets time pass, after which forks look again."""
    least = measure()
    for _ in range(TRIES - 1):
        least = least if least <= allowed else min(least, measure())
    return least


def check(operation, what, budget):
    tool, counted = {"calls": ("strace", calls), "instructions": ("valgrind", instructions), "faults": (None, faults)}[what]
    if tool and not shutil.which(tool):
        raise Skip(f"no {tool} here")
    bare = cost(operation, counted, False)
    allowed = budget * TOLERANCE + (2 if counted is faults else 0.05)  # pages of files that are not at hand on a busy machine
    watched = min_within(bare + allowed, lambda: cost(operation, counted, True))
    print(f"          {operation}: {bare:.1f} {what} bare, {watched - bare:.1f} added, {budget} allowed")
    assert watched - bare <= allowed, f"{watched - bare:.1f} {what} are added, {budget} allowed"


def budgets():
    for line in (HERE / "budget.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            operation, number, what = line.split()
            yield f"{operation}:{what}", functools.partial(check, operation, what, float(number))


main(dict(budgets()))
