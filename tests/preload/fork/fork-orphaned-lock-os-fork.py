"""As fork-orphaned-lock.py with os.fork and os.waitpid in place of multiprocessing."""
# expect: fork-orphaned-lock error
# ends: never
# frames: keep_lock child_wants

import os
import threading

lock = threading.Lock()
taken = threading.Event()


def keep_lock():
    with lock:
        taken.set()
        threading.Event().wait()


def child_wants():
    lock.acquire()


threading.Thread(target=keep_lock, name="keeper", daemon=True).start()
taken.wait()
child = os.fork()
if child == 0:
    child_wants()
    os._exit(0)
os.waitpid(child, 0)
