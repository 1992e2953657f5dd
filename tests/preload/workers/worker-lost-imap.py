"""As worker-lost with imap() and the start method spawn."""
# expect: worker-lost error
# ends: never
# frames: parent_iterates
# says: SIGKILL
# says: had a task of the pool, and killed itself by signal 9
# says: it had sent itself SIGKILL at task (worker-lost-imap.py:18)
# pythons: all
# outside: deadlock-cycle error: that the worker was started in place of another one

import multiprocessing
import os
import signal


def task(number):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def parent_iterates(pool):
    for number in pool.imap(task, range(4)):
        print(number, flush=True)


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        parent_iterates(pool)
