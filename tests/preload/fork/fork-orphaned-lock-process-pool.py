"""A thread works on a cache under a threading.Lock while the first task of a ProcessPoolExecutor makes the workers, by fork."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# ends: never
# frames: refresh look_up
# pythons: all

import concurrent.futures
import multiprocessing
import threading

cache_lock = threading.Lock()
refreshing = threading.Event()


def refresh():
    with cache_lock:
        refreshing.set()
        threading.Event().wait()


def look_up(key):
    with cache_lock:
        return key


def main():
    threading.Thread(target=refresh, daemon=True).start()
    refreshing.wait()
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        print(pool.submit(look_up, "answer").result())


if __name__ == "__main__":
    main()
