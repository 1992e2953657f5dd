#!/usr/bin/env python3
"""Captures images of the threads of a Python program that waits in many ways, inputs of python.c: images.py FILE PYTHON [WORD...]

The command, which may be chroot ROOT python3, gets the program as its standard input; FILE.0, FILE.1, … are its threads. Without
arguments this is that program itself."""

import subprocess
import sys
import time
from pathlib import Path


def program():
    import asyncio
    import concurrent.futures
    import logging
    import multiprocessing
    import queue
    import signal
    import socket
    import subprocess
    import threading

    lock, again, ready = threading.Lock(), threading.RLock(), threading.Condition()
    table, jobs, simple = {"users": threading.Lock()}, queue.Queue(), queue.SimpleQueue()
    few, event, shared = threading.BoundedSemaphore(1), threading.Event(), multiprocessing.Lock()
    started = []

    def thread(function):
        one = threading.Thread(target=function, name=function.__name__, daemon=True)
        started.append(one)
        one.start()
        time.sleep(0.02)
        return function

    class Store:
        def __init__(self):
            self._guard = threading.Lock()
            self.items = [1, {"a": (2, "é")}]

        def put(self, value):
            with self._guard:
                return value.wait()

        def take(self):
            self._guard.acquire()

    store = Store()

    @thread
    def holds():
        with lock, again:
            with table["users"]:
                try:
                    raise ValueError("kept")
                except ValueError:
                    event.wait()

    @thread
    def puts():
        store.put(event)

    @thread
    def gets():
        jobs.get()

    @thread
    def gets_simply():
        simple.get()

    @thread
    def waits_for_news():
        with ready:
            ready.wait()

    @thread
    def enters():
        with lock:
            pass

    @thread
    def enters_again():
        with again:
            pass

    @thread
    def takes():
        table["users"].acquire()

    @thread
    def takes_guard():
        store.take()

    @thread
    def takes_few():
        with few:
            with few:
                pass

    @thread
    def takes_shared():
        with shared:
            shared.acquire()

    @thread
    def joins():
        started[0].join()

    @thread
    def awaits():
        async def one(turn):
            async with turn:
                await asyncio.sleep(1000)

        async def all_of():
            turn = asyncio.Lock()
            await turn.acquire()
            await asyncio.gather(one(turn), one(turn), asyncio.wait_for(one(turn), 999))

        asyncio.new_event_loop().run_until_complete(all_of())

    @thread
    def awaits_future():
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(lambda: pool.submit(event.wait).result()).result()

    @thread
    def generates():
        def numbers():
            with lock:
                yield 1
        with few:
            yield_from = list(numbers())
        return yield_from

    @thread
    def logs():
        logging.basicConfig()
        with logging.root.handlers[0].lock:
            socket.socketpair()[0].recv(1)

    @thread
    def writes():
        logging.warning("never")

    @thread
    def waits_for_child():
        subprocess.Popen(["sleep", "1000"]).wait(500)

    @thread
    def joins_child():
        context = multiprocessing.get_context("fork")
        child = context.Process(target=time.sleep, args=(1000,), daemon=True)
        child.start()
        child.join(900)

    @thread
    def joins_pool():
        pool = multiprocessing.get_context("fork").Pool(1)
        pool.map_async(time.sleep, [1000] * 9)
        pool.close()
        pool.join()

    signal.signal(signal.SIGINT, lambda number, frame: None)
    modules = dict(sys.modules)  # readers go through the table of modules: a small one makes small images
    for name in modules.keys() - {"__main__", "builtins", "sys", "threading", "queue", "logging", "asyncio"}:
        del sys.modules[name]
    print("ready", flush=True)
    lock.acquire()


def capture(file, *command):
    root = Path(__file__).resolve().parents[2]
    sys.path.insert(0, str(root / "tests/lib"))
    from mpsantest import kill_group

    with open(__file__) as source:
        process = subprocess.Popen([*command, "-"], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
    try:
        process.stdout.readline()
        time.sleep(2)
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([root / "build/tests/fuzz/capture", str(process.pid), file], check=True)
    finally:
        kill_group(process.pid)
        process.wait()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        capture(*sys.argv[1:])
    else:
        program()
