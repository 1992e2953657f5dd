"""Names locks of all kinds, then hangs at the one that its argument says."""

import multiprocessing
import queue
import sys
import threading

import mpsan

KINDS = {"lock": threading.Lock, "rlock": threading.RLock, "semaphore": lambda: threading.Semaphore(1), "queue": queue.Queue,
         "condition": threading.Condition, "shared": multiprocessing.Lock, "shared_rlock": multiprocessing.RLock,
         "shared_condition": multiprocessing.Condition}


def take(lock):
    """Takes the lock inside."""
    (lock.mutex if isinstance(lock, queue.Queue) else lock).acquire()


def main(kind):
    old = KINDS[kind]()
    assert mpsan.name(old, "gone")
    del old  # the next one is likely at its place
    lock = KINDS[kind]()
    if kind != "semaphore":
        assert mpsan.name(lock, f'the "{kind}"') and mpsan.active()
    helper = threading.Thread(target=take, args=(lock,), name="taker")
    helper.start()
    helper.join()
    take(lock)


main(sys.argv[1])
