"""Forks, and waits for the child, `forks.py COUNT [held]` times beside 64 threads of Python, each of which holds a lock
of its own in a `with` block if that is asked for; prints the nanoseconds of one."""

import contextlib
import os
import sys
import threading
import time

THREADS = 64


def wait(started, done, lock):
    with lock:
        started.wait()
        done.wait()


if __name__ == "__main__":
    count, started, done = int(sys.argv[1]), threading.Barrier(THREADS + 1), threading.Event()
    lock = threading.Lock if sys.argv[2:] == ["held"] else contextlib.nullcontext
    threads = [threading.Thread(target=wait, args=(started, done, lock())) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    started.wait()
    begin = time.monotonic_ns()
    for _ in range(count):
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
    print((time.monotonic_ns() - begin) // count)
    done.set()
    for thread in threads:
        thread.join()
