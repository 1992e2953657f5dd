"""A thread keeps a lock while multiprocessing starts a process by spawn: the child has a lock of its own."""
# expect: none
# pythons: all

import multiprocessing
import threading

lock = threading.Lock()
taken, stop = threading.Event(), threading.Event()


def keep_lock():
    with lock:
        taken.set()
        stop.wait()


def child_works():
    with lock:
        print("child had the lock", flush=True)


if __name__ == "__main__":
    thread = threading.Thread(target=keep_lock)
    thread.start()
    taken.wait()
    process = multiprocessing.get_context("spawn").Process(target=child_works)
    process.start()
    process.join()
    stop.set()
    thread.join()
