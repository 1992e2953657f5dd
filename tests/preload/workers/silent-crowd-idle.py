"""A pool of more workers than processors waits for its first task, while the parent gets ready."""
# expect: none
# silent: too-many-workers
import multiprocessing
import os
import time


def negate(number):
    return -number


with multiprocessing.get_context("fork").Pool(len(os.sched_getaffinity(0)) + 4) as pool:
    time.sleep(4)  # the case itself: for so long nobody has work
    print(sum(pool.map(negate, range(100))))
