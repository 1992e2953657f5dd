"""The orphaned lock of fork-orphaned-lock.py in a program that imported readline, as pytest does: that handles SIGWINCH, but no wait
ends by it, so the proof stands."""
# expect: fork-orphaned-lock error
# ends: never
# frames: keep_lock child_wants
# needs: readline
# pythons: all

import multiprocessing
import readline  # noqa: F401
import threading

lock = threading.Lock()
taken = threading.Event()


def keep_lock():
    with lock:
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
