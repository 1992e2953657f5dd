#!/usr/bin/env python3
"""mpsan ps and top say "forever" of what mpsan attach proves, and of nothing else."""
# cases
# limit: 120

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import attached, running  # noqa: E402
from mpsantest import BUILD, LIBRARY, MPSAN, find, main, run_mpsan, system_python  # noqa: E402

AGREE = BUILD / "tests/attach/agree"
LOOKS = 10


def mpsan(*words, **more):
    run = subprocess.run([str(word) for word in (MPSAN, *words)], capture_output=True, text=True, timeout=60, **more)
    assert run.returncode == 0, run
    return run.stdout


def threads(processes):
    return [thread for process in processes for thread in process["threads"] if thread["waits_for"]]


def for_ever(processes):
    return {thread["tid"] for thread in threads(processes) if thread["waits_for"]["for_ever"]}


def asleep(pid):
    """Waits until all threads of the program wait, and run no more but in the main one."""
    before = None
    while before != (before := [path.read_text() for path in sorted(Path("/proc").glob(f"{pid}/task/*/schedstat"))[1:]]):
        time.sleep(0.5)


def is_proved(report):
    return any(finding["severity"] == "error" for finding in report["findings"])


def all_three(pid):
    """What ps, top and attach say: the threads that wait for ever, and whether attach proves something."""
    document = json.loads(mpsan("ps", "--json", pid))
    told = document["processes"]
    screen, report = mpsan("top", "--once", pid), attached(pid)
    assert (" forever (" in screen) == bool(for_ever(told)), screen
    assert for_ever(report["picture"]) == for_ever(told), (report["picture"], told)
    assert is_proved(report) == bool(for_ever(told)), (report["findings"], told)
    for seen in told, report["picture"]:
        assert all(thread["waits_for"]["for_ever"] for thread in threads(seen) if thread["kind"] == "endless"), seen
    lines = [line["text"] for line in document["triage"] + report["triage"]]
    assert for_ever(told) or not [line for line in lines if re.search("for ?ever", line)], lines
    return for_ever(told)


def agreed(pid, count, most=None):
    """The same; a look that a busy machine cuts short proves less, never more, and is taken again: so does one while an alarm of any
    program on the machine is due."""
    most = most or count
    for left in reversed(range(LOOKS)):
        try:
            told = all_three(pid)
            assert count <= len(told) <= most, told
            return
        except AssertionError:
            assert len(for_ever(json.loads(mpsan("ps", "--json", pid))["processes"])) <= most
            if not left:
                raise


def way(name, count):
    """So many threads wait for ever in this way."""
    def check():
        with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
            file = f"/{os.path.basename(place)}" if name in ("named", "joined") else str(Path(place, "file"))
            with running(AGREE, name, file) as process:
                asleep(process.pid)
                agreed(process.pid, count)
            Path(f"/dev/shm/sem.{file[1:]}").unlink(missing_ok=True)
    return check


def check_posted():
    """What ps says is open does end: another process posts the semaphore."""
    name = f"/mpsan-test-{os.getpid()}"
    with running(AGREE, "named", name) as process:
        asleep(process.pid)
        assert not for_ever(json.loads(mpsan("ps", "--json", process.pid))["processes"])
        subprocess.run([system_python(), "-c", "import ctypes, ctypes.util, sys\nlibc = ctypes.CDLL(None)\n"
                        "libc.sem_open.restype = ctypes.c_void_p\n"
                        "libc.sem_post(ctypes.c_void_p(libc.sem_open(sys.argv[1].encode(), 0)))", name], check=True)
        assert process.wait(30) == 0
    Path(f"/dev/shm/sem.{name[1:]}").unlink(missing_ok=True)


def check_sessions():
    """The same of sessions, with a supervisor and without one."""
    for prefix, more in ([(MPSAN, "run", "--"), {}], [(), {"LD_PRELOAD": str(LIBRARY)}]):
        for name, count in (("named", 0), ("handled", 0), ("itself", 1), ("crowd", 43)):
            with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
                env = {**os.environ, "TMPDIR": place, **more}
                word = f"/{os.path.basename(place)}"
                with running(*prefix, AGREE, name, word, env=env) as process:
                    env.pop("LD_PRELOAD", None)
                    end, told = time.monotonic() + 15, None
                    while time.monotonic() < end and told != count:
                        run = subprocess.run([MPSAN, "ps", "--json"], env=env, capture_output=True, text=True, timeout=60)
                        seen = json.loads(run.stdout)["processes"] if run.returncode == 0 else []
                        told = len(for_ever(seen)) if threads(seen) else None
                        time.sleep(0.05)
                    assert told == count, (prefix, name, told, run)
                    time.sleep(2)  # what is not proved by now is not said later
                    assert len(for_ever(json.loads(mpsan("ps", "--json", env=env))["processes"])) == count, (prefix, name)
                Path(f"/dev/shm/sem.{word[1:]}").unlink(missing_ok=True)


def check_late():
    """Who comes to a lock of a circle later waits for ever, too; top sees it come."""
    with running(AGREE, "late", "") as process:
        while len(for_ever(json.loads(mpsan("ps", "--json", process.pid))["processes"])) < 3:
            time.sleep(0.05)


OWNERS = {  # how the mutex's owner is named, and what is said of it
    "orphan": ", held by thread ({thread}) of process {pid}, which the fork did not copy",
    "grandchild": ", held by thread ({thread}) of process {pid}, which the fork did not copy",
    "moved_on": ", held by thread ({thread}) of process {pid}, which the fork did not copy",
    "forker": ", held by the main thread of process {pid}, which forked while it had it",
    "main_thread": ", held by the main thread of process {pid}, which the fork did not copy",
    "ended": ", held by thread ({thread}), which has ended",
    "ended_before": ", held by thread ({thread}), which has ended",
}


def owner(name):
    """An owner that lives in the process that forked has not ended; bare, with the library, and with a supervisor."""
    def check():
        for prefix, more in ([(), {}], [(), {"LD_PRELOAD": str(LIBRARY)}], [(MPSAN, "run", "--"), {}]):
            if name == "moved_on" and not prefix and not more:
                continue  # what its number was, and where, is nowhere any more
            with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
                env = {**os.environ, "TMPDIR": place}
                with running(*prefix, AGREE, name, "", env={**env, **more}) as process:
                    time.sleep(2)
                    text = mpsan("ps", *(() if prefix or more else (process.pid,)), env=env)
                    root = re.search(r"^(\d+) \S*agree (?!.*\(fork\))", text, re.M)[1]
                    pattern = re.escape(OWNERS[name]).replace(r"\(\{thread\}\)", r'(\d+|"\w+" \(TID \d+\))')
                    assert re.search(pattern.replace(r"\{pid\}", root), text), (prefix, more, text)
                    listed = re.findall(r"which has ended", text)
                    assert bool(listed) == name.startswith("ended"), text
    return check


def check_owner_told():
    """An owner that had ended before the fork was not there to be copied, and the waiter is not taken for it."""
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        run = subprocess.run(["timeout", "-s", "KILL", "3", AGREE, "ended_before", ""], capture_output=True, text=True, timeout=60,
                             env={**os.environ, "TMPDIR": place, "LD_PRELOAD": str(LIBRARY)})
    assert re.search(r"is held by thread \d+, which is no thread of this process", run.stderr), run
    finding = find(run_mpsan(["timeout", "-s", "KILL", "3", AGREE, "ended_before", ""]).report, "fork-orphaned-lock", "error")
    assert re.search(r": thread \d+ held it", finding["message"]), finding


def check_interpreter():
    """Locks of Python beside a main thread that goes on, and one that another signal's handler may release."""
    circle = ("import threading, time\na, b, both = threading.Lock(), threading.Lock(), threading.Barrier(2)\n"
              "def take(x, y):\n    with x:\n        both.wait()\n        with y: pass\n"
              "for pair in (a, b), (b, a): threading.Thread(target=take, args=pair, daemon=True).start()\n")
    for rest, count in (("while True: time.sleep(0.3)", 2), ("threading.main_thread(); threading.Event().wait()", 2)):
        with running(system_python(), "-c", circle + rest) as process:
            time.sleep(1)
            agreed(process.pid, count, 3)
    with running(system_python(), "-c", "import signal, threading\nlock = threading.Semaphore(0)\n"
                 "signal.signal(signal.SIGUSR1, lambda *_: lock.release())\nlock.acquire()") as process:
        asleep(process.pid)
        assert not all_three(process.pid)
        process.send_signal(signal.SIGUSR1)
        assert process.wait(30) == 0


READS_ITSELF = {  # how it comes to read what only its own process could send, and whether that is proved
    "pipe": ("r, w = os.pipe()\nos.read(r, 1)", True),
    "one-way": ("r, w = multiprocessing.Pipe(duplex=False)\nr.recv()", True),
    "two-way": ("r, w = multiprocessing.Pipe()\nr.recv()", True),
    "sent-before": ("r, w = multiprocessing.Pipe(duplex=False)\nw.send(1)\nr.recv()\nr.recv()", True),
    "sockets": ("r, w = socket.socketpair()\nr.recv(1)", True),
    "timer": ("r, w = multiprocessing.Pipe()\nthreading.Timer({seconds}, w.send, [1]).start()\nr.recv()", False),
    "handled": ("r, w = multiprocessing.Pipe()\nsignal.signal(signal.SIGUSR1, lambda *_: w.send(1))\nr.recv()", False),
    "parent": ("r, w = multiprocessing.Pipe()\nif os.fork():\n    time.sleep({seconds})\n    w.send(1)\n    os.wait()\n"
               "else:\n    r.recv()", False),
    "event": ("threading.Event().wait()", False),  # may be meant to last until Ctrl-C
}


def reads_itself(source, proved):
    """Bare and as a session: a single thread that could only be sent something by itself."""
    def check():
        source_of = ("import multiprocessing, os, signal, socket, threading, time\n" + source).format
        with running(system_python(), "-c", source_of(seconds=60)) as process:
            asleep(process.pid)
            agreed(process.pid, int(proved))
            outside = {finding["rule"] for finding in attached(process.pid)["findings"] if finding["severity"] == "error"}
        run = run_mpsan(["timeout", "-s", "KILL", "8", system_python(), "-c", source_of(seconds=4)])
        inside = {finding["rule"] for finding in run.report["findings"] if finding["severity"] == "error"}
        assert inside == outside == ({"deadlock-cycle"} if proved else set()), (inside, outside, run.err)
    return check


# A worker that a watchdog kills after a while, as gunicorn's --timeout does: a thread of the parent kept a lock at the fork.
SERVER = """
import logging, os, signal, sys, threading, time
lock, ready = {lock}, threading.Event()
def keep():
    {take}
        ready.set()
        time.sleep(1000)
threading.Thread(target=keep, daemon=True).start()
ready.wait()
worker = os.fork()
if not worker:
    {handler}
    with lock: pass
    os._exit(0)
for i in range(100):
    time.sleep(0.1)
os.kill(worker, signal.{signal})
os.waitpid(worker, 0)
"""
RAISES = "signal.signal(signal.SIGUSR1, print); signal.signal(signal.SIGABRT, lambda *_: sys.exit(1))"
SERVERS = {  # lock, how it is kept, what handles signals in the worker, and whether that is proved
    "raises": ("threading.Lock()", "with lock:", RAISES, "SIGABRT", True),
    "rlock": ("threading.RLock()", "with lock:", RAISES, "SIGABRT", True),
    "rlock-acquired": ("threading.RLock()", "if lock.acquire():", RAISES, "SIGABRT", True),
    "logging": ("logging.Handler().lock", "with lock:", "signal.signal(signal.SIGTERM, lambda *_: os._exit(3))", "SIGTERM", True),
    "condition": ("threading.Condition()", "with lock:", "signal.signal(signal.SIGUSR1, print)", "SIGKILL", True),
    "acquired": ("threading.Lock()", "if lock.acquire():", RAISES, "SIGABRT", False),  # a handler might release it
    "with-thread": ("threading.Lock()", "with lock:", RAISES + "; threading.Thread(target=time.sleep, args=(30,), daemon=True).start()",
                    "SIGABRT", False),
}


def server(lock, take, handler, number, proved):
    def check():
        source = SERVER.format(lock=lock, take=take, handler=handler, signal=number)
        with running(system_python(), "-c", source) as process:
            time.sleep(2)
            report = attached(process.pid)
            outside = {finding["rule"] for finding in report["findings"] if finding["severity"] == "error"}
        run = run_mpsan([system_python(), "-c", source])
        inside = {finding["rule"] for finding in run.report["findings"] if finding["severity"] == "error"}
        assert inside == outside == ({"fork-orphaned-lock"} if proved else set()), (inside, outside, run.err)
        assert run.exit == (66 if proved else 0), run.exit
        if proved:
            outcome = find(run.report, "fork-orphaned-lock", "error")["outcome"]
            assert re.search(rf"; process \d+ had sent it {number}$", outcome), outcome
    return check


main({**{f"open-{name}": way(name, 0) for name in ("named", "joined", "handled", "in_file", "left", "fifo")},
      **{f"endless-{name}": way(name, count)
         for name, count in (("crowd", 43), ("beside", 2), ("orphan", 4), ("itself", 1))},
      **{f"owner-{name}": owner(name) for name in OWNERS},
      **{f"reads-itself-{name}": reads_itself(*how) for name, how in READS_ITSELF.items()},
      **{f"server-{name}": server(*how) for name, how in SERVERS.items()},
      "posted": check_posted, "sessions": check_sessions, "late": check_late, "owner-told": check_owner_told, "interpreter": check_interpreter})
