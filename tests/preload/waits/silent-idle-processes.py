"""Pools, managers and servers that sit idle, whose workers sleep while everybody waits for them, and subprocesses that
answer late. Each pause is the case itself: longer than a hang needs to be proven."""
# expect: none
# prints: nothing

import asyncio
import concurrent.futures
import multiprocessing as mp
import socket
import subprocess
import sys
import threading
import time

LATE = 0.7


def nap(value=0):
    time.sleep(LATE)
    return value


def take_and_nap(lock, ready):
    with lock:
        ready.set()
        nap()


def idle_pool():
    with mp.Pool(2) as pool:
        nap()
        assert pool.map(nap, range(2)) == [0, 1]


def idle_executors():
    for method in ("spawn", "forkserver", "fork"):
        context = mp.get_context(method)
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            assert pool.submit(nap, 3).result() == 3
            nap()


def managed():
    with mp.Manager() as manager:
        lock, ready = manager.Lock(), manager.Event()
        worker = mp.Process(target=take_and_nap, args=(lock, ready))
        worker.start()
        ready.wait()
        with lock:
            worker.join()


def serve(listener):
    listener.accept()[0].sendall(b"x")


def late_client():
    listener = socket.create_server(("127.0.0.1", 0))
    worker = mp.Process(target=serve, args=(listener,))
    worker.start()
    nap()
    with socket.create_connection(listener.getsockname()) as client:
        assert client.recv(1) == b"x"
    worker.join()


def late_pipe():
    code = f"import sys, time; time.sleep({LATE}); print(sys.stdin.readline())"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    reader = threading.Thread(target=child.stdout.read)
    reader.start()
    child.stdin.write("word\n")
    child.stdin.close()
    reader.join()
    child.wait()
    child.stdout.close()


async def asynchronous():
    child = await asyncio.create_subprocess_exec("sleep", str(LATE))
    await asyncio.gather(child.wait(), asyncio.to_thread(nap))


if __name__ == "__main__":
    idle_pool()
    managed()
    late_client()
    late_pipe()
    asyncio.run(asynchronous())
    idle_executors()
