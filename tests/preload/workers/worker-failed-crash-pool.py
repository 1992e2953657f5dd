"""A pool whose worker dies with its task, and a program that never asks for the result."""
# expect: worker-failed warning
# says: killed itself by signal 9
import multiprocessing
import os
import signal
import time


def work(crashes):
    if crashes:
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        first = {pool.apply(work, (False,)) for _ in range(20)}
        pool.apply_async(work, (True,))
        while {worker.pid for worker in pool._pool} >= first:
            time.sleep(0.05)  # until the pool has replaced it
    print("done")
