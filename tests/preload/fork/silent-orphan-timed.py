"""The child asks for the lock of a vanished thread with a time limit, and copes."""
# expect: none
# may: fork-lock-held warning

import os
import sys
import threading

lock = threading.Lock()
taken = threading.Event()


def keep_lock():
    with lock:
        taken.set()
        threading.Event().wait()


threading.Thread(target=keep_lock, name="keeper", daemon=True).start()
taken.wait()
child = os.fork()
if child == 0:
    os._exit(1 if lock.acquire(timeout=0.7) else 0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
