"""A forked child waits for a lock that a thread of its parent held, and another thread of its own releases that."""
# expect: fork-orphaned-lock warning
# may: fork-lock-held warning
# says: for Lock \"lock\" (fork-orphaned-lock-released.py, global)
# pythons: all

import os
import threading
import time

lock = threading.Lock()
inside = threading.Event()


def hold():
    with lock:
        inside.set()
        time.sleep(3)


def release():
    time.sleep(2)
    lock.release()


threading.Thread(target=hold).start()
inside.wait()
child = os.fork()
if child == 0:
    threading.Thread(target=release).start()
    with lock:
        os._exit(0)
assert os.waitpid(child, 0)[1] == 0
