"""A worker of a pool is killed in the middle of a task: the pool starts another one, but map() waits for the result."""
# expect: worker-lost error
# ends: never
# frames: parent_maps
# says: SIGKILL
# pythons: all

import multiprocessing
import os
import signal


def task(number):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def parent_maps(pool):
    print(pool.map(task, range(4), chunksize=1), flush=True)


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        parent_maps(pool)
