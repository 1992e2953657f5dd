"""A worker exits with a lock; the two that wait for it, beside the one of the finding, have a step each."""
# expect: lock-owner-killed error
# ends: never
# frames: work
# says: exited with status 3
# unsaid: wait alike

import multiprocessing
import sys


def work(number, lock, ready):
    if not number:
        lock.acquire()
        ready.set()
        sys.exit(3)
    ready.wait()
    with lock:
        pass


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock, ready = context.Lock(), context.Event()
    workers = [context.Process(target=work, args=(number, lock, ready)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
