"""The garbage collector runs in a `with` block, and a destructor takes the lock of that block."""
# expect: self-deadlock error
# ends: never
# says: __del__ may run at any allocation
# frames: __del__ sweep
# says: taken at sweep (self-deadlock-finalizer.py:
# pythons: all

import gc
import threading

lock = threading.Lock()


class Node:
    def __init__(self):
        self.cycle = self

    def __del__(self):
        with lock:
            pass


def sweep():
    with lock:
        gc.collect()


if __name__ == "__main__":
    gc.disable()
    Node()
    sweep()
