"""The lock is an attribute of an object, and taken by a Condition around it: it is told by the names that the program gave."""
# expect: fork-orphaned-lock error
# says: refresh (fork-orphaned-lock-named.py:19)
# says: for Condition \"self.ready\" of Cache
# ends: never
# frames: refresh look_up
# pythons: all

import multiprocessing
import threading


class Cache:
    def __init__(self):
        self.ready = threading.Condition(threading.Lock())
        self.refreshing, self.enough = threading.Event(), threading.Event()

    def refresh(self):
        with self.ready:
            self.refreshing.set()
            self.enough.wait()

    def look_up(self):
        with self.ready:
            pass


if __name__ == "__main__":
    cache = Cache()
    threading.Thread(target=cache.refresh).start()
    cache.refreshing.wait()
    process = multiprocessing.get_context("fork").Process(target=cache.look_up)
    process.start()
    process.join()
