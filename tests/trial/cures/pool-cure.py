"""What the finding of pool-hazard.py says: the processes begin afresh, with a lock of their own."""
# expect: none

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
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(look_up, [1, 2]))
    enough.set()


if __name__ == "__main__":
    main()
