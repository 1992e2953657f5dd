"""A child leaves by os._exit() with a multiprocessing.Lock: the evidence says with which status, and where."""
# expect: lock-owner-killed error
# ends: never
# frames: parent_wants
# says: exited with status 4
# says: it ended at child_leaves (lock-owner-killed-left.py:14)

import multiprocessing
import os


def child_leaves(lock):
    lock.acquire()
    os._exit(4)


def parent_wants(lock):
    with lock:
        print("never", flush=True)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    child = context.Process(target=child_leaves, args=(lock,))
    child.start()
    child.join()
    parent_wants(lock)
