"""A callback of os.register_at_fork takes a lock in the child that a thread of the parent kept."""
# expect: fork-handler-deadlock error
# ends: never
# frames: after_in_child keep_lock
# pythons: all
# outside: fork-orphaned-lock error: the handlers of a fork

import os
import threading

lock = threading.Lock()
taken = threading.Event()


def keep_lock():
    with lock:
        taken.set()
        threading.Event().wait()


def after_in_child():
    with lock:
        pass


with lock:
    pass
os.register_at_fork(after_in_child=after_in_child)
threading.Thread(target=keep_lock, name="keeper", daemon=True).start()
taken.wait()
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
