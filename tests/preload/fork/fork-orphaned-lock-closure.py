"""A thread takes the lock of a closure, which lives in a cell; the forked child waits for it."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# ends: never
# frames: look_up
# says: Lock \"table_lock\" (fork-orphaned-lock-closure.py, local of
# says: refresh (fork-orphaned-lock-closure.py:20)
# pythons: all

import os
import threading

taken = threading.Event()


def make():
    table_lock = threading.Lock()

    def refresh():
        with table_lock:
            taken.set()
            threading.Event().wait()

    def look_up():
        with table_lock:
            pass

    return refresh, look_up


refresh, look_up = make()
threading.Thread(target=refresh, name="refresher", daemon=True).start()
taken.wait()
child = os.fork()
if child == 0:
    look_up()
    os._exit(0)
os.waitpid(child, 0)
