#!/usr/bin/env python3
"""Programs that wait until they are interrupted, in whichever call: nothing is said of them, and they end as they do
without mpsan, also with --on-deadlock=kill."""
# cases

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, MPSAN, SLOW, kill_group, main, need_module, other_pythons, system_python, verdicts  # noqa: E402

JUDGED_S = 1.6 * SLOW  # by then a dead end has been proven
CONSUME = """
import queue, threading
def consume(tasks):
    while True:
        tasks.get()
def start(tasks):
    thread = threading.Thread(target=consume, args=(tasks,), daemon=True)
    thread.start()
    return thread
"""
PROCESSES = """
import multiprocessing, queue, threading
def work(tasks):
    while True:
        tasks.get()
def take(semaphore):
    semaphore.acquire()
def park():
    queue.Queue().get()
if __name__ == "__main__":
    context = multiprocessing.get_context({how!r})
"""
PROGRAMS = {
    "join": CONSUME + "start(queue.Queue()).join()",
    "join-many": CONSUME + "for thread in [start(queue.Queue()) for _ in range(3)]:\n    thread.join()",
    "join-simple": CONSUME + "start(queue.SimpleQueue()).join()",
    "join-after-warm-up": CONSUME + """
for thread in [threading.Thread(target=sum, args=(range(9),)) for _ in range(3)]:
    thread.start()
    thread.join()
start(queue.Queue()).join()""",
    "join-beside-pool": CONSUME + """
import concurrent.futures
pool = concurrent.futures.ThreadPoolExecutor(2)
thread = start(queue.Queue())
print(sum(pool.map(abs, range(9))))
thread.join()""",
    "get": "import queue\nqueue.Queue().get()",
    "get-simple": "import queue\nqueue.SimpleQueue().get()",
    "get-priority": CONSUME + "start(queue.SimpleQueue())\nqueue.PriorityQueue().get()",
    "event": "import threading\nthreading.Event().wait()",
    "condition": "import threading\nlock = threading.Condition()\nwith lock:\n    lock.wait()",
    "semaphore": CONSUME + "start(queue.Queue())\nthreading.Semaphore(0).acquire()",
    "lock": CONSUME + "start(queue.Queue())\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
    "pause": CONSUME + "import signal\nstart(queue.Queue())\nsignal.pause()",
    "executor": """
import concurrent.futures, threading
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    print(sum(pool.map(abs, range(9))))
    threading.Event().wait()""",
    **{f"executor-{name}": CONSUME + f"""
import concurrent.futures, signal
from concurrent.futures import as_completed, wait
signal.signal(signal.SIGINT, signal.SIG_DFL)
idle = concurrent.futures.ThreadPoolExecutor(2)
print(sum(idle.map(abs, range(9))))
pool = concurrent.futures.ThreadPoolExecutor(2)
{wait}""" for name, wait in {
        "result": "pool.submit(threading.Event().wait).result()",
        "exception": "pool.submit(consume, queue.Queue()).exception()",
        "wait": "wait([pool.submit(consume, queue.Queue()) for _ in range(2)])",
        "completed": "for done in as_completed([pool.submit(consume, queue.Queue()) for _ in range(3)]): pass",
        "map": "list(pool.map(consume, [queue.Queue()] * 2))",
        "nested": "pool.submit(lambda: idle.submit(threading.Event().wait).result()).result()",
        "joined": "thread = threading.Thread(target=lambda: pool.submit(threading.Event().wait).result())\n"
                  "thread.start()\nthread.join()",
    }.items()},
    "shutdown": """
import concurrent.futures, queue, signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    pool.submit(queue.Queue().get)""",
    "exit": CONSUME + "import signal\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n"
                      "threading.Thread(target=consume, args=(queue.Queue(),)).start()",
    "exit-event": "import signal, threading\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n"
                  "threading.Thread(target=threading.Event().wait).start()",
    "exit-after-atexit": CONSUME + "import atexit, signal\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n"
                                   "atexit.register(print, 'done')\nstart(queue.Queue()).join()",
    "process-exit": PROCESSES.format(how="spawn") + """
    import signal
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    context.Process(target=park).start()""",
    "server": """
import http.server, threading
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
thread = threading.Thread(target=server.serve_forever, daemon=True)
thread.start()
thread.join()""",
    "barrier": "import threading\nthreading.Barrier(2).wait()",
    "process-barrier": "import multiprocessing\nmultiprocessing.Barrier(2).wait()",
    "process-semaphore": "import multiprocessing\nmultiprocessing.Semaphore(0).acquire()",
    **{f"process-join-semaphore-{how}": PROCESSES.format(how=how) + """
    semaphore = context.Semaphore(0)
    worker = context.Process(target=take, args=(semaphore,), daemon=True)
    worker.start()
    worker.join()""" for how in ("fork", "spawn")},
    "process-event": "import multiprocessing\nmultiprocessing.get_context('spawn').Event().wait()",
    **{f"process-join-{how}": PROCESSES.format(how=how) + """
    tasks = context.Queue()
    workers = [context.Process(target=work, args=(tasks,), daemon=True) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()""" for how in ("fork", "spawn", "forkserver")},
    "process-join-simple": PROCESSES.format(how="fork") + """
    tasks = context.SimpleQueue()
    workers = [context.Process(target=work, args=(tasks,), daemon=True) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()""",
    "process-parks": PROCESSES.format(how="spawn") + """
    worker = context.Process(target=park, daemon=True)
    worker.start()
    worker.join()""",
}
WAYS = ("wait_cond", "wait_sem", "wait_signal", "wait_child", "share_cond", "fork_cond")
DEAD_WAYS = ("join_cond", "join_two", "after_warm_up", "leave_main", "meet_nobody")  # unless a handler could end it
IDLE = BUILD / "tests/preload/waits/idle"


def interrupted(command, number, wait_s):
    """How it ends when its whole group gets a signal, as from a terminal or a service manager."""
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    time.sleep(wait_s)
    early = process.poll() is not None
    try:
        if not early:
            os.killpg(process.pid, number)
        _, err = process.communicate(timeout=20)
    finally:
        kill_group(process.pid)
    assert not early, f"ended by itself: {process.returncode}\n{err}"
    return process.returncode % 256 if process.returncode >= 0 else 128 - process.returncode, err


def check(command, number=signal.SIGINT):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        options = ["--report", f"json={file.name}", "--on-deadlock=kill", "--hang-after=1"]
        watched, err = interrupted([MPSAN, "run", *options, "--", *command], number, JUDGED_S)
        report = json.loads(Path(file.name).read_text())
    assert not verdicts(report), f"{verdicts(report)}\n{err}"
    assert watched == 128 + number, f"exit {watched}\n{err}"


def check_dead(way):
    """Without a handler nothing can ever make a thread go on: nobody parks by joining, or at a barrier."""
    run = subprocess.run([MPSAN, "run", "--on-deadlock=kill", "--", IDLE, way], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=30)
    assert run.returncode == 66 and "error: deadlock-cycle" in run.stderr, run.stderr


FAILED_CHILD = """
import asyncio, sys
async def follow(child, ready):
    async for line in child.stdout:
        ready.set()
async def main():
    ready = asyncio.Event()
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "raise SystemExit(3)", stdout=asyncio.subprocess.PIPE)
    task = asyncio.create_task(follow(child, ready))
    await ready.wait()
    await task
asyncio.run(main())
"""


# a loop that a child was to connect to; others may who know the socket
SERVED = """
import asyncio, signal, sys, tempfile
async def main():
    loop, event = asyncio.get_running_loop(), asyncio.Event()
    with tempfile.TemporaryDirectory() as place:
        server = await asyncio.start_unix_server(lambda *_: event.set(), place + "/socket")
        await asyncio.create_subprocess_exec(sys.executable, "-c", "raise SystemExit({status})")
        {wait}
asyncio.run(main())
"""
SERVED_WAYS = {
    "forever": SERVED.format(status=3, wait="await server.serve_forever()"),
    "until-term": SERVED.format(status=3, wait="loop.add_signal_handler(signal.SIGTERM, event.set)\n        await event.wait()"),
    "of-good-child": SERVED.format(status=0, wait="await event.wait()"),
}
# run_forever: one task waits for the items of another, which failed
FED = """
import asyncio
loop = asyncio.new_event_loop()
items = asyncio.Queue()
async def produce():
    {produce}
async def consume():
    while True:
        print(await items.get())
tasks = [loop.create_task(produce()), loop.create_task(consume())]
{more}
loop.run_forever()
"""
FED_WAYS = {
    "well": FED.format(produce="items.put_nowait(1)", more=""),
    "asked": FED.format(produce="raise KeyError('url')", more="tasks[0].add_done_callback(lambda task: task.exception())"),
    "parked": FED.format(produce="raise KeyError('url')", more="tasks.append(loop.create_task(asyncio.Event().wait()))"),
}
# asyncio.run: the task that was to set the event has failed, or the callback that was to set the result
UNSET = """
import asyncio, signal
async def work(event):
    {work}
def reply(future, text):
    future.set_result(int(text))
async def main():
    loop, event = asyncio.get_running_loop(), asyncio.Event()
    task, future = loop.create_task(work(event)), loop.create_future()
    {wait}
asyncio.run(main())
"""
UNSET_WAYS = {
    "well": UNSET.format(work="pass", wait="await event.wait()"),
    "asked": UNSET.format(work="1 / 0", wait="task.add_done_callback(lambda task: task.exception())\n    await event.wait()"),
    "until-interrupt": UNSET.format(work="1 / 0", wait="loop.add_signal_handler(signal.SIGINT, event.set)\n    await event.wait()"),
    "until-term": UNSET.format(work="pass", wait="loop.add_signal_handler(signal.SIGTERM, print)\n    await future"),
    "forever": UNSET.format(work="pass", wait="await asyncio.Future()"),
}
# the main greenlet joins others, while one has a timer
GREEN = """
import gevent, gevent.event, gevent.lock, gevent.pool
def beat():
    while True:
        gevent.sleep(0.2)
def take(one, other):
    with one:
        gevent.sleep(0.1)
        with other:
            pass
def outer():
    gevent.sleep(0.1)
    pool.spawn(print).get()
gevent.spawn(beat)
pool, locks = gevent.pool.Pool(2), [gevent.lock.BoundedSemaphore(1) for _ in range(2)]
"""
GREEN_WAYS = {
    "joinall": "gevent.joinall([gevent.spawn(take, *pair) for pair in (locks, locks[::-1])])",
    "pool": "pool.spawn(outer)\npool.spawn(outer)\npool.join()",
}
FLUSHED_CHILD = """
import os, threading
changed, asked = threading.Condition(), []
def export():
    with changed:
        while True:
            changed.wait_for(lambda: asked)
            asked.pop().set()
def flush():
    done = threading.Event()
    with changed:
        asked.append(done)
        changed.notify()
    done.wait()
threading.Thread(target=export, daemon=True).start()
flush()
child = os.fork()
if not child:
    flush()
os.waitpid(child, 0)
"""


def check_noted(program, words):
    """Its main thread parks, and a note names what may be the reason."""
    command = [MPSAN, "run", "--hang-after=1", "--verbose", "--", system_python(), "-c", program]
    _, err = interrupted(command, signal.SIGINT, 8)
    assert "note: hang" in err and words in err and "warning: hang" not in err, err


def check_green(program, check_program, *words):
    need_module(system_python(), "gevent")
    check_program(GREEN + program, *words)


def check_unnoted(program):
    _, err = interrupted([MPSAN, "run", "--hang-after=1", "--", system_python(), "-c", program], signal.SIGINT, 8)
    assert "hang" not in err, err


def python_case(name, python, number=signal.SIGINT):
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory, name.replace("-", "_") + ".py")
        program.write_text(PROGRAMS[name] + "\n")
        check([python, program], number)


cases = {name: functools.partial(python_case, name, system_python()) for name in PROGRAMS}
cases.update({f"{name}@{version}": functools.partial(python_case, name, python)
              for version, python in other_pythons().items() if version in ("3.9", "3.13")
              for name in ("join", "join-many", "join-beside-pool", "get", "get-simple", "condition", "exit", "shutdown",
                           "executor-result", "executor-completed")})
cases.update({f"{name}-term": functools.partial(python_case, name, system_python(), signal.SIGTERM)
              for name in ("join", "process-join-fork")})
cases.update({way: functools.partial(check, [IDLE, way]) for way in WAYS})
cases.update({way: functools.partial(check_dead, way) for way in DEAD_WAYS})
cases.update({f"{way}-handled": functools.partial(check, [IDLE, way, "handled"]) for way in DEAD_WAYS})
cases["loop-after-failed-child"] = functools.partial(check_noted, FAILED_CHILD, "which it had started, failed (exit code 3)")
cases["socket-beside-failed-child"] = functools.partial(check_noted, SERVED.format(status=3, wait="await event.wait()"),
                                                        "which it had started, failed (exit code 3)")
cases.update({f"served-{way}": functools.partial(check_unnoted, program) for way, program in SERVED_WAYS.items()})
cases["fed-by-failed-task"] = functools.partial(check_noted, FED.format(produce="raise KeyError('url')", more=""),
                                                "beside a Future that failed with KeyError('url') raised at produce")
cases.update({f"fed-{way}": functools.partial(check_unnoted, program) for way, program in FED_WAYS.items()})
cases["event-of-failed-task"] = functools.partial(check_noted, UNSET.format(work="1 / 0", wait="await event.wait()"),
                                                  "beside a Future that failed with ZeroDivisionError")
cases["future-of-failed-callback"] = functools.partial(
    check_noted, UNSET.format(work="pass", wait="loop.call_soon(reply, future, 'n/a')\n    await future"),
    "an event of its asyncio loop")
cases.update({f"unset-{way}": functools.partial(check_unnoted, program) for way, program in UNSET_WAYS.items()})
cases.update({f"green-{way}": functools.partial(check_green, program, check_noted, "waits for a permit of a Semaphore of gevent")
              for way, program in GREEN_WAYS.items()})
cases["green-pool-of-timers"] = functools.partial(
    check_green, "pool.spawn(beat)\npool.spawn(gevent.event.Event().wait)\npool.join()", check_unnoted)
cases["event-beside-lost-threads"] = functools.partial(check_noted, FLUSHED_CHILD, "was forked from a process with 2 threads")
main(cases)
