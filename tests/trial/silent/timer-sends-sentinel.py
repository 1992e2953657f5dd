"""A Timer puts the sentinel that ends the worker, after 12 seconds, while the main thread joins it."""
# expect: none

import multiprocessing
import threading


def consume(items):
    while items.get() is not None:
        pass


if __name__ == "__main__":
    items = multiprocessing.Queue()
    worker = multiprocessing.Process(target=consume, args=(items,))
    worker.start()
    items.put(1)
    threading.Timer(12, items.put, (None,)).start()
    worker.join()
