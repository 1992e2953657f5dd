"""A thread takes a lock by acquire(), in a frame around the one where the fork finds it; the child waits for it."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# ends: never
# frames: refresh look_up
# says: of Cache: thread \"refresher\"
# says: refresh (fork-orphaned-lock-acquire.py:20)
# pythons: all

import os
import threading


class Cache:
    def __init__(self):
        self._lock = threading.Lock()
        self.taken = threading.Event()

    def refresh(self):
        self._lock.acquire()
        try:
            self.fetch()
        finally:
            self._lock.release()

    def fetch(self):
        self.taken.set()
        threading.Event().wait()

    def look_up(self):
        self._lock.acquire()
        self._lock.release()


cache = Cache()
threading.Thread(target=cache.refresh, name="refresher", daemon=True).start()
cache.taken.wait()
child = os.fork()
if child == 0:
    cache.look_up()
    os._exit(0)
os.waitpid(child, 0)
