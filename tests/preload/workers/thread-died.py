"""A thread that fills a queue dies of an exception, and the main thread waits for the next item."""
# expect: thread-died error
# outside: deadlock-cycle error: what was raised before
# says: ended by KeyError('size') at load_next (thread-died.py:13)
# frames: take_all
# ends: never
# pythons: all
import queue
import threading


def load_next(table, number):
    return number * table["size"]


def fill(items):
    items.put(1)
    items.put(load_next({}, 2))


def take_all(items):
    print("took", items.get())
    print("took", items.get())


if __name__ == "__main__":
    items = queue.Queue()
    threading.Thread(target=fill, args=(items,)).start()
    take_all(items)
