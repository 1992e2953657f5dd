"""What the finding of process-hazard.py says: the processes begin afresh, with a lock of their own."""
# expect: none

import multiprocessing
import threading

cache_lock = threading.Lock()


def look_up(number):
    with cache_lock:
        print(number)


def refresh(begun, enough):
    with cache_lock:
        begun.set()
        enough.wait()


def main():
    begun, enough = threading.Event(), threading.Event()
    threading.Thread(target=refresh, args=(begun, enough), name="refresher", daemon=True).start()
    begun.wait()
    process = multiprocessing.get_context("spawn").Process(target=look_up, args=(1,))
    process.start()
    process.join()
    enough.set()


if __name__ == "__main__":
    main()
