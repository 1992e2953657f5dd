"""The garbage collector runs in a `with` block and calls back a function that takes the lock of that block."""
# expect: self-deadlock error
# ends: never
# frames: note sweep
# says: callbacks that the interpreter calls amid other code
# pythons: all

import gc
import threading

lock = threading.Lock()


def note(phase, info):
    with lock:
        pass


def sweep():
    with lock:
        gc.collect()


if __name__ == "__main__":
    gc.disable()
    gc.callbacks.append(note)
    sweep()
