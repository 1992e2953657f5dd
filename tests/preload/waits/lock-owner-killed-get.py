"""
A worker is killed inside Queue.get(), where it has the queue's read lock. An object is put, and the next worker's get()
waits for that lock: the dead one had it (python/cpython#96062).
"""
# expect: lock-owner-killed error
# ends: never
# frames: next_worker
# says: SIGKILL
# pythons: all

import multiprocessing
import os
import signal


def worker(queue):
    queue.get()


def next_worker(queue):
    print(queue.get(), flush=True)


def until_taken(lock):
    while not lock._semlock._is_zero():
        pass


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    first = context.Process(target=worker, args=(queue,))
    first.start()
    until_taken(queue._rlock)
    os.kill(first.pid, signal.SIGKILL)
    first.join()
    second = context.Process(target=next_worker, args=(queue,))
    second.start()
    queue.put("work")
    second.join()
