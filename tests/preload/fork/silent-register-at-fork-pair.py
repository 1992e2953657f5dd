"""The cure in Python: a lock is taken before each fork and given back on both sides, while a thread uses it."""
# expect: none
# pythons: all

import os
import threading
import time

lock = threading.Lock()
stop = threading.Event()


def use_lock():
    while not stop.is_set():
        with lock:
            pass


os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
thread = threading.Thread(target=use_lock)
thread.start()
for _ in range(5):
    child = os.fork()
    if child == 0:
        with lock:
            time.sleep(1.3 if _ == 4 else 0)
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
stop.set()
thread.join()
