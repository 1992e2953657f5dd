"""A Pool replaces a worker that was killed between two tasks; the program asks ready() of slow tasks again and again, and sleeps."""
# expect: none
# options: --hang-after 2

import multiprocessing
import os
import signal
import time

FUTEX, READ = ("98", "63") if os.uname().machine == "aarch64" else ("202", "0")


def call_of(pid):
    with open(f"/proc/{pid}/syscall") as file:
        return file.read().split()[0]


def who_waits_behind(pool):
    while True:
        calls = {process.pid: call_of(process.pid) for process in pool._pool}
        if sorted(calls.values()) == [READ, FUTEX]:
            return next(pid for pid, call in calls.items() if call == FUTEX)


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        os.kill(who_waits_behind(pool), signal.SIGKILL)
        results = [pool.apply_async(time.sleep, (4,)) for _ in range(2)]
        while not all(result.ready() for result in results):
            time.sleep(0.1)
        for _ in range(50):
            time.sleep(0.1)


if __name__ == "__main__":
    main()
