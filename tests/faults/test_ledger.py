#!/usr/bin/env python3
"""A random process of a pipeline is killed at a random moment: what the ledger says has leaked is what is in /dev/shm
afterwards, name by name, with its size."""
# cases
# limit: 1800

import functools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import named, rounds, scratch  # noqa: E402
from mpsantest import MPSAN, dump, kill_group, main, need_module, system_python  # noqa: E402

PIPELINE = Path(__file__).with_name("ledger_pipeline.py")
SHM = Path("/dev/shm")
BATCHES = {"tensors": 60, "blocks": 1500}
LONGEST_S = {"tensors": 0.6, "blocks": 0.3}  # after the start: beyond it most runs are over


def session_pids(session):
    """Who runs in it: the pipeline, and what it has started to clean up."""
    mark = f"MPSAN_DIR={session}\0".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes():
                yield int(entry.name)
        except OSError:
            continue


def there(pids, prefix, before):
    """{name: bytes} of what these processes have in /dev/shm and nobody had before: torch writes the pid into each name,
    and another program may have left one of that pid."""
    found = {}
    for entry in set(SHM.iterdir()) - before:
        match = re.match(r"torch_(\d+)_", entry.name)
        if entry.name.startswith(prefix) or match and int(match[1]) in pids:
            found[entry.name] = entry.stat().st_size
    return found


def kill_one(session, moment, choose):
    """Kills one process of the session after that time, and names it."""
    time.sleep(moment)  # the case itself: a moment nobody can foresee
    pids = sorted(session_pids(session))
    if not pids:
        return "nobody: the run was over"
    victim = choose.choice(pids)
    try:
        what = Path(f"/proc/{victim}/comm").read_text().strip()
        os.kill(victim, signal.SIGKILL)
    except OSError:
        return "nobody: it had ended"
    return f"{what} {victim}, {pids.index(victim) + 1} of {len(pids)}"


def run_and_kill(command, session, report, moment, choose):
    process = subprocess.Popen([str(MPSAN), "run", "--dir", str(session), "--report", f"json={report}", "--",
                                *command], start_new_session=True, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    try:
        assert process.stdout.readline() == "runs\n", "the pipeline does not run"
        killed = kill_one(session, moment, choose)
        process.communicate(timeout=60)
    finally:
        kill_group(process.pid)
    return killed


def told(events):
    """{name: bytes} that the ledger counts as leaked."""
    return {event["name"].strip("/").rpartition("/")[2]: event["bytes"] for event in named(events, "shm_left")}


def check_round(kind, choose):
    session, report = scratch("session"), scratch("report.json")
    prefix = f"mpsan-ledger-{os.getpid()}-{choose.randrange(1 << 32)}-"
    before = set(SHM.iterdir())
    killed = run_and_kill([system_python(), str(PIPELINE), kind, str(BATCHES[kind]), prefix], session, report,
                          choose.uniform(0, LONGEST_S[kind]), choose)
    document = json.loads(report.read_text())
    left, events = there({process["pid"] for process in document["processes"]}, prefix, before), dump(session)
    for name in left:
        (SHM / name).unlink()
    assert told(events) == left, f"killed {killed}\ntold {told(events)}\nleft {left}"
    leaks = [finding for finding in document["findings"] if finding["rule"] == "shm-leaked"]
    assert bool(leaks) == bool(left), f"killed {killed}\nleft {left}\nfindings {leaks}"
    return bool(left)


def check(kind, count):
    if kind == "tensors":
        need_module(system_python(), "torch")
    seed = int(os.environ.get("MPSAN_SEED", time.time_ns() % 1_000_000))
    choose = random.Random(seed)
    print("seed", seed, flush=True)
    leaky = sum(check_round(kind, choose) for _ in range(count))
    print(f"{count} runs, {leaky} of them with leaks, each as told")


main({kind: functools.partial(check, kind, rounds(count, 200)) for kind, count in (("tensors", 3), ("blocks", 6))})
