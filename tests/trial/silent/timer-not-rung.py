"""Waits that a threading.Timer ends when it rings: for a future, a barrier, an item, and the end of all items."""
# expect: none
# options: --hang-after 2

import multiprocessing
import queue
import threading
from concurrent.futures import Future

AFTER = 5


def ring(function, *args):
    threading.Timer(AFTER, function, args).start()


def await_future():
    future = Future()
    ring(future.set_result, 1)
    future.result()


def await_party():
    barrier = threading.Barrier(2)
    ring(barrier.wait)
    barrier.wait()


def await_item():
    items = queue.Queue()
    items.put(1)
    items.get()
    ring(items.put, 2)
    items.get()


def await_done():
    items = multiprocessing.JoinableQueue()
    items.put(1)
    ring(lambda: (items.get(), items.task_done()))
    items.join()


for wait in (await_future, await_party, await_item, await_done):
    wait()
