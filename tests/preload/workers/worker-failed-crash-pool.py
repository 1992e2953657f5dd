"""A pool whose worker dies with its task, and a program that never asks for the result."""
# expect: worker-failed warning
# says: killed itself by signal 9
import multiprocessing
import os
import signal
import time


def crash():
    os.kill(os.getpid(), signal.SIGKILL)


def workers(pool):
    return {worker.pid for worker in pool._pool}


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        first = workers(pool)
        pool.apply_async(crash)
        while not workers(pool) - first:
            time.sleep(0.05)  # until the pool has replaced it
    print("done")
