"""A background thread works on a cache under a threading.Lock just when a process is started by fork.

The child gets a copy of the lock in its locked state and no copy of the thread that would open it. Its first
look into the cache never returns, and join() in the parent waits with it.
"""
# expect: fork-orphaned-lock error
# ends: never
# frames: refresh look_up

import multiprocessing
import threading

cache = {}
cache_lock = threading.Lock()
refreshing = threading.Event()
enough = threading.Event()


def refresh():
    with cache_lock:
        cache["answer"] = 42
        refreshing.set()
        enough.wait()


def look_up():
    with cache_lock:
        print("answer:", cache["answer"])


def main():
    refresher = threading.Thread(target=refresh, name="refresher")
    refresher.start()
    refreshing.wait()
    process = multiprocessing.get_context("fork").Process(target=look_up)
    process.start()
    process.join()
    enough.set()
    refresher.join()


if __name__ == "__main__":
    main()
