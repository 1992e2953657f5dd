"""
A pool's worker is killed while it waits behind the other one for its next task: nothing is lost, and the task that follows
takes two seconds.
"""
# expect: none
# pythons: all

import multiprocessing
import os
import signal
import time

FUTEX, READ = ("98", "63") if os.uname().machine == "aarch64" else ("202", "0")


def task(number):
    time.sleep(2)  # longer than a wait must last to be judged
    return number


def call_of(pid):
    with open(f"/proc/{pid}/syscall") as file:
        return file.read().split()[0]


def who_waits_behind(pool):
    """One worker reads from the pipe, with the lock; the other waits for the lock."""
    while True:
        calls = {process.pid: call_of(process.pid) for process in pool._pool}
        if sorted(calls.values()) == [READ, FUTEX]:
            return next(pid for pid, call in calls.items() if call == FUTEX)


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        os.kill(who_waits_behind(pool), signal.SIGKILL)
        print(pool.apply(task, (5,)), flush=True)
