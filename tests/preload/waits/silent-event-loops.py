"""Event loops that idle on purpose, each in a process of its own, until a process that nobody watches ends it; and ones that
are woken late. Each pause is the case itself: longer than a hang needs to be proven."""
# expect: none

import asyncio
import concurrent.futures
import multiprocessing as mp
import os
import queue
import signal
import subprocess
import sys
import threading
import time

LATE = 3
CHILD = "import sys; sys.stdin.readline(); print('ready', flush=True); sys.stdin.readline()"


async def for_ever():
    await asyncio.to_thread(time.sleep, 0)
    await asyncio.Event().wait()


def parked():
    asyncio.run(for_ever())


def parked_in_thread():
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    asyncio.run_coroutine_threadsafe(for_ever(), loop).result()


async def beside_child():
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", CHILD, stdin=subprocess.PIPE,
                                                 stdout=subprocess.PIPE)
    child.stdin.write(b"go\n")
    await child.stdout.readline()
    await asyncio.Event().wait()


def with_child():
    asyncio.run(beside_child())


def fed_by_loop():
    items, loop = queue.Queue(), asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    loop.call_soon_threadsafe(items.put, 1)
    while True:
        items.get()


def beside_pool():
    os.setpgid(0, 0)  # its workers would outlive it
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=mp.get_context("fork")) as pool:
        assert list(pool.map(abs, [-1, -2])) == [1, 2]
        parked()


def woken_late():
    loop = asyncio.new_event_loop()
    threading.Timer(LATE, lambda: loop.call_soon_threadsafe(loop.stop)).start()
    loop.run_forever()


def sleeps():
    asyncio.run(asyncio.sleep(LATE))


def slow_task():
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=mp.get_context("fork")) as pool:
        pool.submit(time.sleep, LATE).result()


def main():
    context = mp.get_context("fork")
    endless = [parked, parked_in_thread, with_child, fed_by_loop, beside_pool]
    ending = [woken_late, sleeps, slow_task]
    processes = [context.Process(target=body) for body in endless + ending]
    for process in processes:
        process.start()
    pids = [str(process.pid) for process in processes[:len(endless)]]
    ends = f"sleep {LATE}; kill -TERM {' '.join(pids)} -{pids[-1]}"  # the last with its group
    killer = subprocess.Popen(["sh", "-c", ends], env={"PATH": "/usr/bin:/bin"})
    for process, body in zip(processes, endless + ending):
        process.join()
        assert process.exitcode == (-signal.SIGTERM if body in endless else 0), (body, process.exitcode)
    killer.wait()


if __name__ == "__main__":
    main()
