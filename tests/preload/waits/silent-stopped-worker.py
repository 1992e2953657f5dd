"""
A worker is stopped (SIGSTOP) while its sentinel lies in the queue and its parent joins it. Somebody whom nobody watches lets
it go on after 2 s: it stands in its read, but there is something to read.
"""
# expect: none

import multiprocessing
import os
import signal
import subprocess


def worker(queue):
    while queue.get() is not None:
        pass


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=worker, args=(queue,))
    process.start()
    os.kill(process.pid, signal.SIGSTOP)
    queue.put(None)
    with subprocess.Popen(["/bin/sh", "-c", f"sleep 2; kill -CONT {process.pid}"], env={}):
        process.join()
    print("worker ended", process.exitcode)
