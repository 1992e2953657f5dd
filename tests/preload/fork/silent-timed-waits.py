"""Waits with a time limit in a forked child, and waits that a thread of its own ends; a program with one thread waits
for news in the same way."""
# expect: none
# pythons: all

import os
import queue
import threading
import time

items = queue.Queue()
parked = threading.Thread(target=items.get)
parked.start()
waits = False
while not waits:  # else it may have the mutex at the fork
    with items.mutex:
        waits = bool(items.not_empty._waiters)


def child_waits():
    event = threading.Event()
    assert not event.wait(0.7)
    try:
        items.get(timeout=0.7)
    except queue.Empty:
        pass
    threading.Timer(0.7, event.set).start()
    event.wait()


child = os.fork()
if child == 0:
    child_waits()
    os._exit(0)
print(os.waitpid(child, 0)[1], flush=True)
items.put(None)
parked.join()
