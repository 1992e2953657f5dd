"""A fork while the feeder thread of a queue holds the queue's own lock: a child makes that anew."""
# expect: none
# note: fork-queue-feeder

import multiprocessing
import threading
import time
import types

CONTEXT = multiprocessing.get_context("fork")

# A method of Condition that stops the feeder where it has the lock: it counts as the module's own by its file.
STOP = """
def _is_owned(self):
    if threading.current_thread() is not threading.main_thread():
        entered.set()
        proceed.wait()
    return True
"""

entered, proceed = threading.Event(), threading.Event()
exec(compile(STOP, threading.__file__, "exec"))


def take(queue):
    print(queue.get(), flush=True)
    time.sleep(1.3)  # longer than a child may live beside a held lock


queue = CONTEXT.Queue()
queue._notempty._is_owned = types.MethodType(globals()["_is_owned"], queue._notempty)
queue.put(7)
worker = CONTEXT.Process(target=take, args=(queue,))
entered.wait()
worker.start()
proceed.set()
worker.join()
