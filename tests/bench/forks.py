"""Forks, and waits for the child, `forks.py COUNT` times beside 64 threads of Python; prints the nanoseconds of one."""

import os
import sys
import threading
import time

THREADS = 64


def wait(started, done):
    started.wait()
    done.wait()


if __name__ == "__main__":
    count, started, done = int(sys.argv[1]), threading.Barrier(THREADS + 1), threading.Event()
    threads = [threading.Thread(target=wait, args=(started, done)) for _ in range(THREADS)]
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
