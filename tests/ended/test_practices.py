#!/usr/bin/env python3
"""What a report says of best practices after runs that ended well, badly, or not at all: `kept` is a claim, too."""
# cases

import functools
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import main, run_mpsan, system_python  # noqa: E402

START = """
import multiprocessing, os, signal, subprocess, sys, threading, time

def well(queue=None):
    pass

def fail(queue=None):
    raise SystemExit(3)

def crash(queue=None):
    os.kill(os.getpid(), signal.SIGKILL)

def idle(ready):
    ready.set()
    time.sleep(60)

def put_much(queue):
    queue.put(b"x" * (1 << 20))

def run(target, method="fork", ends=lambda worker: None, *args):
    worker = multiprocessing.get_context(method).Process(target=target, args=args)
    worker.start()
    ends(worker)
    worker.join()
    return worker.exitcode

"""
LOCKS, SPAWN = "no thread holds a lock when the process forks", "use spawn or forkserver, through a context or set_start_method()"
GUARD = "guard the main module: its top level runs again in every spawned child"
JOIN, COLLECT = "join every process that you start", "drain result queues before join()"
ERRORS, SENTINELS = "handle errors in workers: no silent failures", "send every worker a sentinel to stop it"
ROOM, CUDA = "no more workers than processors and memory allow", "CUDA in child processes requires the start method spawn or forkserver"
TENSORS, GROUPS = "send tensors with torch.multiprocessing, whose queues put them into shared memory", \
    "pair init_process_group() with destroy_process_group()"
LOADER, CLEAN = "start with few DataLoader workers and measure", "clean up resources"
KEPT, VIOLATED, UNSEEN = "kept", "violated", "not observable"
ENDS = (JOIN, COLLECT, ERRORS, SENTINELS, ROOM)
CUT = {statement: UNSEEN for statement in (*ENDS, LOCKS, CLEAN)}

# name: program, options, what is said of statements
CASES = {
    "well": ("run(well)", (), {**{statement: KEPT for statement in (*ENDS, LOCKS)}, SPAWN: UNSEEN, GUARD: UNSEEN,
                               TENSORS: UNSEEN, GROUPS: UNSEEN, LOADER: UNSEEN, CUDA: UNSEEN}),
    "spawn": ("if __name__ == '__main__': run(well, 'spawn')", (), {GUARD: KEPT, SPAWN: KEPT, LOCKS: UNSEEN, JOIN: KEPT}),
    "forkserver": ("if __name__ == '__main__': run(well, 'forkserver')", (), {GUARD: KEPT, JOIN: KEPT, ERRORS: KEPT}),
    "other-program": ("subprocess.run(['true'])", (), {statement: UNSEEN for statement in (*ENDS, LOCKS)}),
    "crash": ("run(crash); sys.exit(1)", (), {ERRORS: UNSEEN, COLLECT: UNSEEN, ROOM: UNSEEN, LOCKS: KEPT}),
    "crash-unseen": ("run(crash)", (), {ERRORS: VIOLATED, COLLECT: UNSEEN}),
    "failure": ("run(fail); sys.exit(1)", (), {ERRORS: UNSEEN, LOCKS: KEPT}),
    "terminated": ("ready = multiprocessing.get_context('fork').Event(); "
                   "run(idle, 'fork', lambda worker: (ready.wait(), worker.terminate()), ready)", (), {SENTINELS: UNSEEN, JOIN: KEPT, ERRORS: KEPT}),
    "hang": ("queue = multiprocessing.get_context('fork').Queue(); run(put_much, 'fork', lambda worker: None, queue)",
             ("--on-deadlock=kill",), {**CUT, COLLECT: VIOLATED}),
    "hang-elsewhere": ("lock = threading.Lock(); lock.acquire(); lock.acquire()", ("--on-deadlock=kill",), CUT),
    "signal": ("run(well); os.kill(os.getpid(), signal.SIGTERM)", (), CUT),
    "shell": ("run(well); sys.exit(143)", (), CUT),
    "left": ("os.fork() or (os.closerange(0, 3), time.sleep(60)); os._exit(0)", (), {JOIN: VIOLATED, COLLECT: UNSEEN, ERRORS: UNSEEN}),
}


def check(program, options, expected):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(START + program + "\n")
        script.flush()
        report = run_mpsan([system_python(), script.name], options).report
    said = {practice["statement"]: practice for practice in report["practices"]}
    wrong = {statement: said[statement] for statement, status in expected.items() if said[statement]["status"] != status}
    assert not wrong, wrong
    assert all(practice["why"] for practice in said.values() if practice["status"] == UNSEEN)


main({name: functools.partial(check, *case) for name, case in CASES.items()})
