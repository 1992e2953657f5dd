# A forked child whose own code is Python's alone: it waits for the lock of a queue that a thread of its parent
# holds. The place named is in the child's code, and not the line of the parent's at which the child was made, which
# is named as that.
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# ends: never
# says: qsize (queue.py:
# says: in the child made at <module> (fork-orphaned-lock-place-of-child.py:26) for
import multiprocessing
import queue
import threading

jobs = queue.Queue()
held, never = threading.Event(), threading.Event()


def holder():
    with jobs.mutex:
        held.set()
        never.wait()


threading.Thread(target=holder, daemon=True).start()
held.wait()
child = multiprocessing.get_context("fork").Process(target=jobs.qsize)
child.start()
child.join()
