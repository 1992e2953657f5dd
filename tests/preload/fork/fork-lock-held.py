"""A thread keeps a threading.Lock; the child lives on and never wants it."""
# expect: fork-lock-held warning
# frames: keep_lock start_child
# says: held Lock \"lock\" (fork-lock-held.py, global)

import os
import sys
import threading
import time

lock = threading.Lock()
taken, stop = threading.Event(), threading.Event()


def keep_lock():
    with lock:
        taken.set()
        stop.wait()


def start_child():
    child = os.fork()
    if child == 0:
        time.sleep(1.3)
        os._exit(0)
    return child


with lock:
    pass  # its first taker gives it back: it is a lock, not a signal
thread = threading.Thread(target=keep_lock, name="keeper")
thread.start()
taken.wait()
status = os.waitpid(start_child(), 0)[1]
stop.set()
thread.join()
sys.exit(os.waitstatus_to_exitcode(status))
