#!/usr/bin/env python3
"""What the library states of processes: their names, how they left, whom they signalled, where they may run, what they
copied of their inheritance."""
# cases

import functools
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import program  # noqa: E402
from mpsantest import Skip, dump, main, other_pythons, run_bare, run_mpsan, system_python  # noqa: E402

NAMES = """
import multiprocessing, os, sys

def work(status):
    os._exit(status)

if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        for status in (0, 3):
            p = multiprocessing.get_context(method).Process(target=work, args=(status,), name=f"{method} \\u00e9 {status}")
            p.start()
            p.join()
            print(p.pid, p.name, p.exitcode, flush=True)
"""
FAILS = """
import multiprocessing, os, sys

def divides(n):
    return 1 // n

def raises():
    divides(0)

def leaves():
    try:
        divides(0)
    except ZeroDivisionError:
        print("Process of ours goes on", file=sys.stderr, flush=True)
    os._exit(1)

if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        for target in (raises, leaves):
            p = multiprocessing.get_context(method).Process(target=target)
            p.start()
            p.join()
            print(p.pid, target.__name__, flush=True)
"""
KILLS = """
import multiprocessing, os, signal, time

if __name__ == "__main__":
    p = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
    p.start()
    os.kill(p.pid, 0)
    p.terminate()
    p.join()
    os.kill(os.getpid(), signal.SIGWINCH)
    print(p.pid)
"""
BOUND = """
import os

before = os.sched_getaffinity(0)
one = {min(before)}
for _ in range(3):
    os.sched_setaffinity(0, one)
    os.sched_setaffinity(0, before)
print(len(before))
"""
GROWS = """
import multiprocessing

data = [str(i) for i in range(600_000)]
more = []

def reads():
    for word in data:
        len(word)

def allocates():
    more.append(bytearray(64 << 20))

def waits(go):
    go.recv()
    allocates()

if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    for target, arguments in ((reads, ()), (allocates, ()), (waits, (theirs,))):
        p = context.Process(target=target, args=arguments)
        p.start()
        if target is waits:
            data.clear()
            ours.send(None)
        p.join()
        print(target.__name__, p.pid)
"""


def slots_of(place):
    """{pid: [(how, position of the fork, flags)]}"""
    slots = {}
    for line in run_bare([program("process_flags"), Path(place) / "session"]).out.splitlines():
        pid, how, fork, *flags = line.split()
        slots.setdefault(int(pid), []).append((int(how), int(fork), set(flags)))
    return slots


def record(text, python=None):
    """The words of each line that a script printed, its events and its slots."""
    with tempfile.TemporaryDirectory() as place:
        script = Path(place) / "script.py"
        script.write_text(text)
        run = run_mpsan([python or system_python(), script], ["--dir", Path(place) / "session"])
        assert run.exit == 0, run
        session = Path(place) / "session"
        return [line.split() for line in run.out.splitlines()], dump(session), slots_of(session)


def named(events, name):
    return [event for event in events if event["event"] == name]


def check_names(python):
    lines, events, slots = record(NAMES, python)
    forks = {fork: pid for pid, images in slots.items() for _, fork, _ in images if fork}
    names = {forks[event["fork"]] if event["fork"] else event["pid"]: event["name"]
             for event in named(events, "process_name")}
    ends = {event["pid"]: event for event in named(events, "left")}
    for pid, method, letter, status, code in lines:
        assert code == status
        assert names.get(int(pid)) == f"{method} {letter} {status}", (method, names)
        assert (int(pid) in ends) == (status != "0"), (method, ends)
    assert len(named(events, "process_name")) == len(names) == len(lines), named(events, "process_name")
    assert all(event["code"] == 3 and "work\t" in event["python"] for event in ends.values()), ends


def check_failures(python):
    """The place that raised, and nothing else where somebody leaves by himself."""
    lines, events, _ = record(FAILS, python)
    ends = {event["pid"]: event for event in named(events, "left")}
    assert set(ends) == {int(pid) for pid, _ in lines}, ends
    for pid, target in lines:
        frames = [frame.split("\t")[0] for frame in ends[int(pid)]["python"].splitlines()]
        assert frames[:2 if target == "raises" else 1] == (["divides", "raises"] if target == "raises" else ["leaves"]), \
            (target, frames)
        assert frames[-1].endswith("_bootstrap") or target == "leaves", frames


def check_kills():
    [[pid]], events, _ = record(KILLS)
    kills = named(events, "killed")
    assert [(event["pid"], event["signal"]) for event in kills] == [(int(pid), 15)], kills
    assert "_send_signal" in kills[0]["python"], kills


def check_affinity():
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("one processor")
    [[before]], events, _ = record(BOUND)
    told = [(event["before"], event["processors"]) for event in named(events, "affinity")]
    assert told == [(int(before), 1), (1, int(before))], told


def check_growth():
    if not Path("/proc/self/smaps_rollup").exists():
        raise Skip("no smaps_rollup here")
    lines, events, _ = record(GROWS)
    pids = {name: int(pid) for name, pid in lines}
    told = {event["pid"]: event for event in named(events, "growth")}
    growth = told.pop(pids["reads"])
    assert 16 << 20 <= growth["copied"] <= growth["inherited"] <= 1 << 30, growth
    assert all(other["copied"] < 16 << 20 for other in told.values()), (pids, told)


def check_flags():
    with tempfile.TemporaryDirectory() as place:
        run = run_mpsan([program("process_flags"), "make"], ["--dir", place])
        assert run.exit == 0, run
        slots = slots_of(place)
    for line in run.out.splitlines():
        *wanted, pid = line.split()
        newest = [flags for _, _, flags in slots.pop(int(pid)) if "replaced" not in flags]
        want = {"plain": {"reaped"}, "session-unreaped": {"session"}}.get(wanted[0], {"reaped", *wanted})
        assert newest == [want], (line, slots)
    daemons = [flags for ((how, _, flags),) in slots.values() if how == 9]  # MPSAN_HOW_DAEMON
    assert len(daemons) == 1 and daemons[0] - {"reaped"} == {"session"}, slots


PYTHONS = {"": system_python(), **{f"@{version}": python for version, python in other_pythons().items()}}

main({
    **{f"names{which}": functools.partial(check_names, python) for which, python in PYTHONS.items()},
    **{f"failures{which}": functools.partial(check_failures, python) for which, python in PYTHONS.items()},
    "kills": check_kills,
    "affinity": check_affinity,
    "growth": check_growth,
    "flags": check_flags,
})
