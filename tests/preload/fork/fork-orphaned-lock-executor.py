"""A task of a thread pool keeps a lock when multiprocessing forks; the child wants it."""
# expect: fork-orphaned-lock error
# ends: never
# frames: keep_lock child_wants

import concurrent.futures
import multiprocessing
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
    pool = concurrent.futures.ThreadPoolExecutor(1)
    pool.submit(keep_lock)
    taken.wait()
    process = multiprocessing.get_context("fork").Process(target=child_wants)
    process.start()
    process.join()
