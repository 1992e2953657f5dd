"""What the finding of executor-hazard.py says: the processes begin afresh, with a lock of their own."""
# expect: none

import concurrent.futures
import multiprocessing
import threading

cache_lock = threading.Lock()


def look_up(number):
    with cache_lock:
        return number


def refresh(begun, enough):
    with cache_lock:
        begun.set()
        enough.wait()


def main():
    begun, enough = threading.Event(), threading.Event()
    threading.Thread(target=refresh, args=(begun, enough), name="refresher", daemon=True).start()
    begun.wait()
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        print(list(executor.map(look_up, [1, 2])))
    enough.set()


if __name__ == "__main__":
    main()
