"""A thread takes a lock as users have them, and a forked child waits for it: lock_names.py CASE. test_pythons.py has the names."""

import ctypes
import functools
import logging
import os
import queue
import sys
import threading

inside = threading.Event()


def stay():
    inside.set()
    threading.Event().wait()


cache_lock = threading.Lock()
locks = {"users": threading.Lock(), "orders": threading.Lock()}
tasks = queue.Queue()


def by_global():
    with cache_lock:
        stay()


def by_item():
    with locks["users"]:
        stay()


def by_queue():
    with tasks.mutex:
        stay()


class Cache:
    def __init__(self):
        self._lock = threading.Lock()
        self.ready = threading.Condition()
        self.twice = threading.RLock()

    def by_attribute(self):
        with self._lock:
            stay()

    def by_condition(self):
        with self.ready:
            stay()

    def by_rlock(self):
        with self.twice:
            with self.twice:
                stay()

    def by_acquire(self):
        self._lock.acquire()
        try:
            stay()
        finally:
            self._lock.release()


class Slow(logging.StreamHandler):
    def emit(self, record):
        if threading.current_thread() is not threading.main_thread():
            stay()


logger = logging.getLogger("app")
logger.addHandler(Slow(sys.stderr))


def by_logging():
    logger.error("slow")


def locked(function):
    lock = threading.Lock()

    @functools.wraps(function)
    def call():
        with lock:
            return function()

    return call


@locked
def by_cell():
    stay()


libc = ctypes.PyDLL(None)
mutex = ctypes.create_string_buffer(64)


def by_extension():
    libc.pthread_mutex_lock(mutex)
    stay()


def main(take, look):
    threading.Thread(target=take, name="taker", daemon=True).start()
    inside.wait()
    child = os.fork()
    if child == 0:
        look()
        os._exit(0)
    os.waitpid(child, 0)


if __name__ == "__main__":
    case = getattr(Cache(), sys.argv[1], None) or globals()[sys.argv[1]]
    main(case, functools.partial(tasks.put, 1) if case is by_queue else case)
