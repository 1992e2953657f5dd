"""The main thread fails before it has told its thread to stop, which the interpreter joins: the finding begins with the exception."""
# expect: deadlock-cycle error
# says: after RuntimeError('out of memory') raised at train (deadlock-cycle-main-raised.py:18) ended the main module
# says: tell threads and workers to stop in a finally block
# frames: work
# ends: never
# pythons: all
import queue
import threading


def work(items):
    while items.get() is not None:
        pass


def train():
    raise RuntimeError("out of memory")


items = queue.Queue()
threading.Thread(target=work, args=(items,)).start()
train()
items.put(None)
