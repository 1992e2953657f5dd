"""A thread takes a lock as users have them, and a forked child waits for it: lock_names.py CASE. test_pythons.py has the names."""

import collections
import contextlib
import contextvars
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


class Holder:
    def __init__(self, part):
        self.part = part


cache_lock = threading.Lock()
locks = {"users": threading.Lock(), "orders": threading.Lock()}
tasks = queue.Queue()
current = contextvars.ContextVar("current", default=threading.Lock())
shards = [Holder({"lock": threading.Lock()}) for _ in range(3)]
pair = collections.namedtuple("Pair", "name lock")("users", threading.Lock())


def by_global():
    with cache_lock:
        stay()


def by_shard():
    with shards[2].part["lock"]:
        stay()


def by_item():
    with locks["users"]:
        stay()


def by_queue():
    with tasks.mutex:
        stay()


@functools.lru_cache(maxsize=None)
def lock_of(name, part):
    return threading.Lock()


def by_cached():
    with lock_of("users", 7):
        stay()


def by_context_variable():
    with current.get():
        stay()


def by_named_tuple():
    with pair.lock:
        stay()


def by_call():
    cache_lock.acquire()
    try:
        stay()
    finally:
        cache_lock.release()


def rows():
    with cache_lock:
        yield 1


def by_generator():
    for _ in rows():
        stay()


@contextlib.contextmanager
def transaction():
    cache_lock.acquire()
    try:
        yield
    finally:
        cache_lock.release()


def by_context_manager():
    with transaction():
        stay()


def by_exit_stack():
    with contextlib.ExitStack() as stack:
        stack.enter_context(cache_lock)
        stay()


class Guard:
    def __init__(self):
        self.inner = threading.Lock()

    def __enter__(self):
        self.inner.acquire()

    def __exit__(self, *error):
        self.inner.release()


guard = Guard()


def by_guard():
    with guard:
        stay()


permits = threading.Semaphore(1)


def by_semaphore():
    with permits:
        stay()


class Slots:
    __slots__ = ("name", "_lock")

    def __init__(self):
        self._lock = threading.Lock()

    def by_slot_call(self):
        self._lock.acquire()
        try:
            stay()
        finally:
            self._lock.release()

    def by_slot(self):
        with self._lock:
            stay()


class Cache:
    shared = threading.Lock()
    parts = {"a": threading.Lock()}

    @classmethod
    def by_class(cls):
        with cls.shared:
            stay()

    def by_part(self):
        with self.parts["a"]:
            stay()

    def __init__(self):
        self._lock = threading.Lock()
        self.ready = threading.Condition()
        self.twice = threading.RLock()
        self.tables = {"users": {"rows": Holder(Holder(threading.Lock()))}}

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

    def by_path(self):
        with self.tables["users"]["rows"].part.part:
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
    found = (getattr(place, sys.argv[1], None) for place in (Cache(), Slots(), sys.modules["__main__"]))
    case = next(filter(None, found))
    main(case, functools.partial(tasks.put, 1) if case is by_queue else case)
