"""As fork-orphaned-lock.py with an RLock that its keeper took twice."""
# expect: fork-orphaned-lock error
# ends: never
# frames: keep_lock child_wants
# pythons: all

import multiprocessing
import threading

lock = threading.RLock()
taken = threading.Event()


def keep_lock():
    with lock, lock:
        taken.set()
        threading.Event().wait()


def child_wants():
    with lock:
        pass


if __name__ == "__main__":
    threading.Thread(target=keep_lock, name="keeper", daemon=True).start()
    taken.wait()
    process = multiprocessing.get_context("fork").Process(target=child_wants)
    process.start()
    process.join()
