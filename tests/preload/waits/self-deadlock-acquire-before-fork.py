"""A process starts another while it has a lock, taken by acquire(): the child's copy stays taken."""
# expect: self-deadlock error
# may: fork-threads note
# ends: never
# frames: work start
# says: of Cache, which it
# says: already hold
# outside: fork-lost-wakeup error: who took it before the fork by acquire()

import multiprocessing
import threading


class Cache:
    def __init__(self):
        self._lock = threading.Lock()

    def work(self):
        with self._lock:
            pass

    def start(self):
        self._lock.acquire()
        try:
            child = multiprocessing.get_context("fork").Process(target=self.work)
            child.start()
            child.join()
        finally:
            self._lock.release()


ticker = threading.Thread(target=threading.Event().wait, name="idle", daemon=True)
ticker.start()
Cache().start()
