"""A child takes a multiprocessing.Lock and ends without giving it back; the only other process waits for it."""
# expect: lock-owner-killed error
# ends: never
# frames: parent_wants
# pythons: all

import multiprocessing


def child_takes(lock):
    lock.acquire()


def parent_wants(lock):
    with lock:
        print("never", flush=True)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    child = context.Process(target=child_takes, args=(lock,))
    child.start()
    child.join()
    parent_wants(lock)
