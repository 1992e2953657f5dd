"""Fifty workers and one lock, with which the first of them exits: the others are one step, with who had it before."""
# expect: lock-owner-killed error
# ends: never
# frames: work
# says: 48 processes wait alike at work (lock-owner-killed-crowd.py:23) for Lock \"lock\"
# says: and 43 more
# says: worker-0 (pid
# says: took Lock \"lock\"
# says: exited with status 3

import multiprocessing
import sys
import time


def work(number, lock, ready):
    if not number:
        lock.acquire()
        ready.set()
        sys.exit(3)
    ready.wait()
    time.sleep(1)
    with lock:
        pass


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock, ready = context.Lock(), context.Event()
    workers = [context.Process(target=work, args=(number, lock, ready), name=f"worker-{number}") for number in range(50)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
