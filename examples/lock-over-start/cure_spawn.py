"""The cure for hazard.py that changes one word: spawn begins the process afresh, with locks of its own.

What the process needs to know travels as an argument, since a fresh process inherits no cache.
"""
# expect: none

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


def look_up(known):
    with cache_lock:
        cache.update(known)
        print("answer:", cache["answer"])


def main():
    refresher = threading.Thread(target=refresh, name="refresher")
    refresher.start()
    refreshing.wait()
    process = multiprocessing.get_context("spawn").Process(target=look_up, args=(dict(cache),))
    process.start()
    process.join()
    enough.set()
    refresher.join()


if __name__ == "__main__":
    main()
