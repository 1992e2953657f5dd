#!/usr/bin/env python3
"""Long waits without a proof: `hang` comes while other threads tick, and names them, at once and in the report; programs
that rest on purpose beside ticking threads, and those that are merely slow, stay silent."""
# cases
# limit: 120

import functools
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

from faults import SOURCES, build, scratch  # noqa: E402
from mpsantest import MPSAN, kill_group, main, need_module, need_profiler, system_python  # noqa: E402
from spins import C_SPINS, COMPUTES, SPINS, YIELDS  # noqa: E402

SILENT_S = 3.5
COMPUTED_S = 8 if os.environ.get("MPSAN_FULL") == "1" else 5
SLEPT_S = {"file": 3.5, "shared-memory": 6, "file-in-worker": 13, "queue-of-waiting-worker": 8}
PATIENCE_S = 30
TICKS = """
import collections, itertools, multiprocessing, os, queue, signal, sys, tempfile, threading, time
def tick():
    while True:
        time.sleep(0.2)
def start_ticker():
    threading.Thread(target=tick, name="ticker", daemon=True).start()
def consume(tasks):
    while True:
        tasks.get()
def burn():
    while True:
        pass
"""
FORKS = TICKS + "context = multiprocessing.get_context('fork')\n"
UNDRAINED = FORKS + """
def fill(results):
    for number in range(2000):
        results.put(bytes(1000))
results = context.Queue()
worker = context.Process(target=fill, args=(results,))
worker.start()
"""
# the programs, and what the line at once must say
HANGS = {
    "undrained": (UNDRAINED + "start_ticker()\nworker.join()",
                  ["waits for the end of process", "room in the pipe of a multiprocessing.Queue", "what could still end it: thread \"ticker\"", "woke up",
                   "always back to clock_nanosleep(), last at tick (", "likely join-before-drain"]),
    "circle": (TICKS + """
first, second, both = threading.Lock(), threading.Lock(), threading.Barrier(2)
def take(one, other):
    with one:
        both.wait()
        other.acquire()
threads = [threading.Thread(target=take, args=args) for args in ((first, second), (second, first))]
start_ticker()
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()""", ["held by thread", "what could still end it: thread \"ticker\"", "woke up",
                                 "likely deadlock-cycle"]),
    "sentinel-lost": (TICKS + """
tasks = queue.Queue()
def produce():
    tasks.put(1)
start_ticker()
threading.Thread(target=produce).start()
while True:
    tasks.get()""", ["thread \"ticker\"", "woke up"]),
    "handler": (TICKS + """
signal.signal(signal.SIGTERM, lambda number, frame: None)
tasks = queue.Queue()
threading.Thread(target=tasks.put, args=(1,)).start()
while True:
    tasks.get()""", ["SIGTERM, handled at <lambda> (program.py:"]),
}
# with Python's resource tracker, which helps nobody
MEMORY = "from multiprocessing import shared_memory\nmemory = shared_memory.SharedMemory(create=True, size=8)\n"
# whose loop tests what nothing here could change: a note, at the latest when others have waited for it for ten times as long
SLEEPS = {
    "file": "import os\nwhile not os.path.exists('/nowhere'):\n    time.sleep(0.2)",
    "shared-memory": MEMORY + "while not memory.buf[0]:\n    time.sleep(0.2)",
    "file-in-worker": """
def work():
    while not os.path.exists('/nowhere'):
        time.sleep(0.2)
worker = context.Process(target=work)
worker.start()
worker.join()""",
    "queue-of-waiting-worker": """
import queue
go, done = context.Event(), context.Queue()
def work():
    go.wait()
    done.put(1)
context.Process(target=work).start()
while True:
    try:
        done.get(timeout=0.3)
    except queue.Empty:
        pass""",
}
# a loop of events with a timer
BEATS = """
import asyncio
async def beat():
    while True:
        await asyncio.sleep(0.2)
async def main():
    beats, event = asyncio.create_task(beat()), asyncio.Event()
    %s
asyncio.run(main())"""
# as these, for what a child was to do: the note names the one that failed, or the last one, if none is left
CHILDREN = {
    "failed": ("worker = context.Process(target=sys.exit, args=(3,))\nworker.start()\nworker.join()\n" + SLEEPS["file"],
               "), which it had started, exited with status 3 "),
    "ended": ("worker = context.Process(target=int)\nworker.start()\nworker.join()\n" + SLEEPS["file"],
              "; it has no child left, and the last one, ForkProcess-1 (pid "),
    "left": ("context.Process(target=context.Event().wait).start()\nworker = context.Process(target=int)\nworker.start()\nworker.join()\n"
             + SLEEPS["file"], "nothing else of the job has moved: it may poll for something that never happens"),
    "asyncio": (BEATS % "await asyncio.create_subprocess_exec(sys.executable, '-c', 'raise OSError')\n    await beats", ", which it had started, ended by OSError"),
}
# one thread that keeps the GIL while it runs code in C, which may compute: a note if others wait for the GIL, all the time
KEEPS = {
    "gil": ("threading.Thread(target=tick, daemon=True, name='ticker').start()\nthreading.Thread(target=tick, daemon=True).start()\n"
            "time.sleep(0.3)\ncollections.deque(itertools.repeat(0), maxlen=0)",
            "has had the GIL for", "and runs; 2 threads wait for it"),
    "gil-in-thread": ("thread = threading.Thread(target=sum, args=(itertools.repeat(0),), name='adder')\nthread.start()\nthread.join()",
                      'thread "adder"', "has had the GIL for", "1 thread waits for it"),
}
SHARES = {
    "gil-alone": "collections.deque(itertools.repeat(0), maxlen=0)",
    "gil-in-turns": "for _ in range(2):\n    threading.Thread(target=burn, daemon=True).start()\nburn()",
    "gil-in-pieces": "threading.Thread(target=burn, daemon=True).start()\nnumbers = list(range(100000))\nwhile True:\n    sorted(numbers, key=str)",
}
# at rest, and left to somebody outside: a note, with what it says
LEFT = {
    "fifos-opened-crosswise": ("""
place = tempfile.mkdtemp()
os.mkfifo(f"{place}/a")
os.mkfifo(f"{place}/b")
names = "ab" if os.fork() else "ba"
open(f"{place}/{names[0]}")
open(f"{place}/{names[1]}", "w")""", "/a), until a process opens the FIFO for writing; "),
    "fifos-read-crosswise": ("""
place = tempfile.mkdtemp()
os.mkfifo(f"{place}/a")
os.mkfifo(f"{place}/b")
names = "ab" if os.fork() else "ba"
fifos = [os.open(f"{place}/{name}", os.O_RDWR) for name in names]
os.read(fifos[0], 1)
os.write(fifos[1], b"x")""", "/a); "),
    "signals-crosswise": ("""
signal.signal(signal.SIGUSR1, lambda *_: None)
parent = os.getpid()
child = os.fork()
signal.pause()
os.kill(child or parent, signal.SIGUSR1)""", "pause(), until SIGINT or SIGUSR1 comes; "),
    "sigwait-crosswise": ("""
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
parent = os.getpid()
child = os.fork()
signal.sigwait([signal.SIGUSR1])
os.kill(child or parent, signal.SIGUSR1)""", "rt_sigtimedwait(), until SIGUSR1 comes; "),
    "signal-after-join": ("""
signal.signal(signal.SIGUSR1, lambda *_: None)
child = os.fork()
signal.pause() if child == 0 else os.waitpid(child, 0)""", "pause(), until SIGINT or SIGUSR1 comes"),
}
# such a loop that wakes up for timers alone: a note with what its main coroutine or greenlet waits for
GREEN_BEATS = """
import gevent, gevent.event, gevent.lock, gevent.queue
def beat():
    while True:
        gevent.sleep(0.2)
gevent.spawn(beat)
"""
LOOPS = {
    "asyncio-event": (BEATS % "await event.wait()", "waits for asyncio.Event.set"),
    "gevent-event": (GREEN_BEATS + "gevent.event.Event().wait()", "waits for gevent.event.Event.set"),
    "gevent-lock-of-joined": (GREEN_BEATS + """
lock = gevent.lock.BoundedSemaphore(1)
def outer():
    with lock:
        inner()
def inner():
    with lock:
        pass
gevent.spawn(outer).join()""", "waits for a permit of a Semaphore of gevent"),
    "gevent-queue": (GREEN_BEATS + "queue = gevent.queue.JoinableQueue()\nqueue.put(1)\nqueue.join()",
                     "waits for task_done() for every item of a queue of gevent"),
    "gevent-threads": ("""
from gevent import monkey
monkey.patch_all()
first, second = threading.Lock(), threading.Lock()
def take(one, other):
    with one:
        time.sleep(0.2)
        other.acquire()
threads = [threading.Thread(target=take, args=args) for args in ((first, second), (second, first))]
start_ticker()
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()""", "waits for the release of a lock of gevent"),
}
# not even a note: somebody may be meant to end them, or to send
QUIET = {
    "quiet-asyncio-service": BEATS % "await asyncio.start_server(lambda *_: event.set(), '127.0.0.1', 0)\n    await event.wait()",
    "quiet-asyncio-signal": BEATS % "asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, event.set)\n    await event.wait()",
    "quiet-gevent-server": GREEN_BEATS + "import gevent.server\ngevent.server.StreamServer(('127.0.0.1', 0), print).serve_forever()",
    "quiet-gevent-beats-joined": GREEN_BEATS + "gevent.joinall([gevent.spawn(beat)])",
    "quiet-gevent-limit": GREEN_BEATS + "event = gevent.event.Event()\nwhile not event.wait(0.5):\n    pass",
    "quiet-manager": """
context = multiprocessing.get_context('fork')
manager = context.Manager()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
signal.sigwait([signal.SIGTERM])""",
    "quiet-scheduler": """
import sched
times = sched.scheduler()
def again():
    times.enter(0.3, 1, again)
again()
times.run()""",
    "quiet-event-loop": """
import asyncio
async def serve():
    await asyncio.create_subprocess_exec(sys.executable, "-c", "raise OSError")
    await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    while True:
        await asyncio.sleep(0.2)
asyncio.run(serve())""",
    "quiet-pause": "signal.signal(signal.SIGUSR1, lambda *_: None)\nsignal.pause()",
    "quiet-pause-joined": """
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
child = os.fork()
signal.pause() if child == 0 else os.waitpid(child, 0)""",
    "quiet-keep-alive-joined": """
child = os.fork()
signal.pause() if child == 0 else os.waitpid(child, 0)""",
    "quiet-sigwait-joined": """
thread = threading.Thread(target=signal.sigwait, args=([signal.SIGTERM, signal.SIGUSR1],))
thread.start()
thread.join()""",
    "quiet-fifo-of-two": """
place = tempfile.mkdtemp()
os.mkfifo(f"{place}/a")
os.fork()
open(f"{place}/a")""",
    "quiet-own-fifo": """
place = tempfile.mkdtemp()
os.mkfifo(f"{place}/a")
os.read(os.open(f"{place}/a", os.O_RDWR), 1)""",
}
# not even a note: who writes does more than sleep
LOGS = "log = open('/dev/null', 'w', buffering=1)\nwhile True:\n    print('alive', file=log)\n    time.sleep(0.2)"
SILENT = {
    "pause": TICKS + "start_ticker()\nsignal.pause()",
    "sigwait": TICKS + "start_ticker()\nsignal.sigwait([signal.SIGUSR1])",
    "event": TICKS + "start_ticker()\nthreading.Event().wait()",
    "event-handler": TICKS + """
stop = threading.Event()
signal.signal(signal.SIGTERM, lambda number, frame: stop.set())
start_ticker()
stop.wait()""",
    "accept": TICKS + """
import socket
server = socket.create_server(("127.0.0.1", 0))
start_ticker()
server.accept()""",
    "epoll": TICKS + "import select\nstart_ticker()\nselect.epoll().poll()",
    "asyncio": TICKS + "import asyncio\nstart_ticker()\nasyncio.new_event_loop().run_forever()",
    "server-joined": TICKS + """
import http.server
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
thread = threading.Thread(target=server.serve_forever)
start_ticker()
thread.start()
thread.join()""",
    "ticker-joined": TICKS + "thread = threading.Thread(target=tick)\nthread.start()\nthread.join()",
    "consumer": TICKS + "start_ticker()\nconsume(queue.Queue())",
    "consumer-joined": TICKS + """
thread = threading.Thread(target=consume, args=(queue.Queue(),))
start_ticker()
thread.start()
thread.join()""",
    "service": TICKS + """
tasks = queue.Queue()
def poll():
    tasks.put(1)
    tick()
threading.Thread(target=poll, daemon=True).start()
consume(tasks)""",
    "workers-idle": FORKS + """
tasks = context.Queue()
workers = [context.Process(target=consume, args=(tasks,)) for _ in range(2)]
for worker in workers:
    worker.start()
start_ticker()
for worker in workers:
    worker.join()""",
    "worker-computes": FORKS + """
worker = context.Process(target=burn)
worker.start()
start_ticker()
worker.join()""",
    "worker-computes-beside-tracker": FORKS + MEMORY + """
context.Process(target=burn).start()
while not memory.buf[0]:
    time.sleep(0.3)""",
    "worker-sleeps": FORKS + """
worker = context.Process(target=time.sleep, args=(600,))
worker.start()
start_ticker()
worker.join()""",
    "pool-sleeps": FORKS + """
start_ticker()
context.Pool(2).apply(time.sleep, (600,))""",
    "thread-computes": TICKS + """
start_ticker()
threading.Thread(target=burn, daemon=True).start()
lock = threading.Lock()
lock.acquire()
lock.acquire()""",
    "terminal": TICKS + "start_ticker()\nimport pty\nos.read(pty.openpty()[0], 1)",
    "watchdog": TICKS + "import faulthandler\nfaulthandler.dump_traceback_later(600)\nwhile True:\n    time.sleep(0.3)",
    "logs": TICKS + LOGS,
    **{name: TICKS + program for name, program in QUIET.items()},
    "keep-alive": TICKS + "start_ticker()\nwhile True:\n    time.sleep(0.3)",
}

# a main thread that waits for an event: a note if other threads have ended that might have set it, and who waits for it is no help
EVENT = "import threading\nthreading.Thread(target=print).start()\nthreading.Event().wait()"
PARKS = {
    "event-of-ended": (EVENT, True),
    "event-of-ended-in-background": ("import os, sys\n"
                                     f"os.execlp('dash', 'dash', '-c', '\"$0\" -c \"$1\" & wait', sys.executable, {EVENT!r})", True),
    "event-alone": ("import threading\nthreading.Event().wait()", False),
    "event-beside-worker": (FORKS + "threading.Thread(target=print).start()\ncontext.Process(target=signal.pause).start()\n"
                            "threading.Event().wait()", False),
}


def start(program, directory):
    if isinstance(program, str):
        if "import numpy" in program:
            need_module(system_python(), "numpy")
        if "import gevent" in program or "from gevent" in program:
            need_module(system_python(), "gevent")
        Path(directory, "program.py").write_text(program + "\n")
        program = [system_python(), f"{directory}/program.py"]
    with open(f"{directory}/err", "w") as err:
        return subprocess.Popen([MPSAN, "run", "--hang-after=1", "--verbose", "--report", f"json={directory}/report.json", "--",
                                 *program], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=err, start_new_session=True,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def wait_for_end(process, numbers=(signal.SIGINT, signal.SIGTERM)):
    """Some programs end by one signal only, some by none."""
    for number in numbers:
        os.killpg(process.pid, number)
        try:
            process.wait(timeout=2)
            return
        except subprocess.TimeoutExpired:
            pass


def hangs(name):
    """The line comes while the program hangs, although its reports go to a file."""
    program, says = HANGS[name]
    with tempfile.TemporaryDirectory() as directory:
        process = start(program, directory)
        try:
            err, end = "", time.monotonic() + PATIENCE_S
            while not ("deadlock proved" in err or "  fingerprint: " in err) and time.monotonic() < end:
                time.sleep(0.1)
                err = Path(directory, "err").read_text()
        finally:
            kill_group(process.pid)
            process.wait()
    if "mpsan: deadlock proved" in err:
        return  # better still
    assert re.search(r"^mpsan: no progress after .*: hang: inspect .* mpsan ps \S+\n  .+\n(  .+\n)?  → .+$", err, re.M), err
    assert all(len(line) <= 100 for line in err.split("\n==")[0].splitlines() if "mpsan ps" not in line), err
    assert all(text in err for text in says), (says, err)


def silent(name):
    with tempfile.TemporaryDirectory() as directory:
        process = start(SILENT[name], directory)
        try:
            time.sleep(SILENT_S)
            err = Path(directory, "err").read_text()
            assert process.poll() is None, f"ended by itself: {err}"
            wait_for_end(process)
        finally:
            kill_group(process.pid)
            process.wait()
        report = Path(directory, "report.json")
        found = json.loads(report.read_text())["findings"] if report.exists() else []
    assert "no progress" not in err, err
    hangs = [finding["severity"] for finding in found if finding["rule"] == "hang"]
    assert not set(hangs) - {"note"} and not (hangs and (name == "logs" or name in QUIET)), err


def notes_of(program, seconds, rule="hang"):
    """Nothing is said at once: a service may do so until it is told to stop."""
    with tempfile.TemporaryDirectory() as directory:
        process = start(program, directory)
        try:
            time.sleep(seconds)
            assert process.poll() is None, Path(directory, "err").read_text()
            wait_for_end(process)
            err = Path(directory, "err").read_text()
        finally:
            kill_group(process.pid)
            process.wait()
        found = json.loads(Path(directory, "report.json").read_text())["findings"]
    assert "no progress" not in err, err
    return [finding for finding in found if finding["rule"] == rule]


def noted(program, seconds, *says):
    """On a busy machine once more, for longer."""
    notes = next(filter(None, (notes_of(program, some) for some in (seconds, 3 * seconds))), [])
    assert len(notes) == 1 and notes[0]["severity"] == "note" and all(text in notes[0]["message"] for text in says), notes


def unnoted(program):
    notes = notes_of(program, COMPUTED_S)
    assert not notes, notes


def spins(program):
    """On a busy machine the loop gets a processor now and then, and is seen as often."""
    if "sched_yield" not in program:
        need_profiler()
    notes = next(filter(None, (notes_of(program, seconds) for seconds in (14, 45))), [])
    assert len(notes) == 1 and notes[0]["severity"] == "note", notes
    assert "in one loop that only tests" in notes[0]["message"], notes


def spins_of_failed():
    """The parent of a worker that failed is warned of, as it only tests."""
    need_profiler()
    found = next(filter(None, (notes_of(FORKS + SPINS["value-of-failed"], seconds, "worker-failed") for seconds in (14, 45))), [])
    assert [finding["severity"] for finding in found] == ["warning"], found


def spins_in_c(name):
    need_profiler()
    program = [build(SOURCES / "spins.c", scratch("spins")), name]
    if C_SPINS[name]:
        spins(program)
    else:
        unnoted(program)


def parks(name):
    program, noted = PARKS[name]
    with tempfile.TemporaryDirectory() as directory:
        process = start(program, directory)
        try:
            time.sleep(SILENT_S)
            err = Path(directory, "err").read_text()
            wait_for_end(process)
        finally:
            kill_group(process.pid)
            process.wait()
        found = json.loads(Path(directory, "report.json").read_text())["findings"]
    assert "no progress" not in err, err
    assert [finding["severity"] for finding in found if finding["rule"] == "hang"] == ["note"] * noted, found


cases = {f"hangs-{name}": functools.partial(hangs, name) for name in HANGS}
cases["spins-yield"] = functools.partial(spins, FORKS + YIELDS)
if os.environ.get("MPSAN_FULL") == "1":  # beside other tests a loop has too little of a processor
    cases.update({f"spins-{name}": functools.partial(spins, FORKS + program) for name, program in SPINS.items()})
    cases["spins-of-failed"] = spins_of_failed
    cases.update({f"c-{name}": functools.partial(spins_in_c, name) for name in C_SPINS})
cases.update({f"computes-{name}": functools.partial(unnoted, FORKS + program) for name, program in (COMPUTES | SHARES).items()})
cases.update({f"keeps-{name}": functools.partial(noted, FORKS + program, COMPUTED_S, *says) for name, (program, *says) in KEEPS.items()})
cases.update({f"sleeps-{name}": functools.partial(noted, FORKS + program, SLEPT_S[name], "has done nothing for")
              for name, program in SLEEPS.items()})
cases.update({f"child-{name}": functools.partial(noted, FORKS + program, 8, says) for name, (program, says) in CHILDREN.items()})
cases.update({f"left-{name}": functools.partial(noted, TICKS + program, SILENT_S, says) for name, (program, says) in LEFT.items()})
cases.update({f"loop-{name}": functools.partial(noted, TICKS + program, 8, "woke up for timers alone", says) for name, (program, says) in LOOPS.items()})
cases.update({f"silent-{name}": functools.partial(silent, name) for name in SILENT})
cases.update({f"parks-{name}": functools.partial(parks, name) for name in PARKS})
main(cases)
