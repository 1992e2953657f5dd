"""A handler's format() asks a store for its lock; the store logs under that lock. Both for the first time."""
# expect: deadlock-cycle error
# within: 8

import logging
import threading
import time


class Store:
    def __init__(self):
        self.lock = threading.Lock()

    def size(self):
        with self.lock:
            return 0

    def put(self, met):
        with self.lock:
            met.wait()
            logging.warning("stored")


class SizeHandler(logging.StreamHandler):
    def __init__(self, store, met):
        super().__init__()
        self.store, self.met = store, met

    def format(self, record):
        self.met.wait()
        return f"{record.getMessage()} ({self.store.size()})"


def main():
    met, store = threading.Barrier(2), Store()
    logging.getLogger().addHandler(SizeHandler(store, met))
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    threading.Thread(target=store.put, args=(met,), daemon=True).start()
    logging.warning("started")


main()
