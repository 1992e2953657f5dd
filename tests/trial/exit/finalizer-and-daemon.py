"""A finalizer that runs at exit takes the lock that a daemon thread keeps while it waits for an event of the ended main thread."""
# expect: deadlock-cycle error
# within: 8
# says: a thread that holds a lock that others need to go on waits, too

import threading
import weakref


class Model:
    pass


def update(lock, updated, holds):
    with lock:
        holds.set()
        updated.wait()


def close(lock):
    with lock:
        print("closed")


def main():
    lock, updated, holds = threading.Lock(), threading.Event(), threading.Event()
    threading.Thread(target=update, args=(lock, updated, holds), daemon=True, name="updater").start()
    holds.wait()
    model = Model()
    weakref.finalize(model, close, lock)
    globals()["kept"] = model


main()
