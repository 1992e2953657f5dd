"""A fork while the feeder thread of a queue holds a lock of the program's: it pickles an object that takes it."""
# expect: fork-queue-feeder warning
# may: fork-lock-held warning

import multiprocessing
import threading

CONTEXT = multiprocessing.get_context("fork")
LOCK = threading.Lock()

entered, proceed = threading.Event(), threading.Event()


class Number:
    def __reduce__(self):
        with LOCK:
            entered.set()
            proceed.wait()
        return int, (7,)


def take(queue):
    print(queue.get(), flush=True)


with LOCK:
    print("a lock that is taken and given back", flush=True)
queue = CONTEXT.Queue()
queue.put(Number())
worker = CONTEXT.Process(target=take, args=(queue,))
entered.wait()
worker.start()
proceed.set()
worker.join()
