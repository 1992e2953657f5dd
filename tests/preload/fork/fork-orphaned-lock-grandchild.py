"""A thread keeps a threading.Lock while the main thread forks; the child forks in turn, and the grandchild wants the lock."""
# expect: fork-orphaned-lock error
# ends: never
# frames: keep_lock grandchild_wants
# says: "keeper"
# says: taken at keep_lock (fork-orphaned-lock-grandchild.py:17)
# pythons: all

import os
import threading

lock = threading.Lock()
taken = threading.Event()


def keep_lock():
    with lock:
        taken.set()
        threading.Event().wait()


def grandchild_wants():
    with lock:
        pass


def child():
    pid = os.fork()
    if pid == 0:
        grandchild_wants()
        os._exit(0)
    os.waitpid(pid, 0)
    os._exit(0)


threading.Thread(target=keep_lock, name="keeper", daemon=True).start()
taken.wait()
pid = os.fork()
if pid == 0:
    child()
os.waitpid(pid, 0)
