"""A worker enters a fresh multiprocessing.Lock twice, and its parent joins it: the circle of one is told, not a dead end."""
# expect: self-deadlock error
# ends: never
# frames: add
# says: which it already holds, taken at add (self-deadlock-shared-first.py:

import multiprocessing


def add(lock, number):
    with lock:
        if number:
            add(lock, number - 1)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    child = context.Process(target=add, args=(lock, 1))
    child.start()
    child.join()
