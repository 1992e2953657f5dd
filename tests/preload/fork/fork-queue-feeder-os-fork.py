"""As in fork-queue-feeder.py, but by os.fork: nobody makes the queue's lock anew, and the child's put waits for it."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# note: fork-queue-feeder
# ends: never
# frames: fill
# outside: fork-lost-wakeup error: who took it before the fork by acquire()

import multiprocessing
import os
import threading
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


def fill(queue):
    queue.put(8)


queue = CONTEXT.Queue()
queue._notempty._is_owned = types.MethodType(globals()["_is_owned"], queue._notempty)
queue.put(7)
entered.wait()
child = os.fork()
if child == 0:
    fill(queue)
    os._exit(0)
os.waitpid(child, 0)
