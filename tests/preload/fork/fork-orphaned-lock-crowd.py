"""Twelve children wait for a lock whose owner the forks did not copy: they are one finding, and one of its steps."""
# expect: fork-orphaned-lock error
# ends: never
# frames: work
# says: 12 processes wait alike at work (fork-orphaned-lock-crowd.py:23) for Lock \"cache_lock\"
# says: and 7 more

import multiprocessing
import threading
import time

cache_lock = threading.Lock()
taken = threading.Event()


def refresh():
    with cache_lock:
        taken.set()
        time.sleep(1000)


def work():
    with cache_lock:
        pass


if __name__ == "__main__":
    threading.Thread(target=refresh, name="refresher", daemon=True).start()
    taken.wait()
    workers = [multiprocessing.get_context("fork").Process(target=work) for _ in range(12)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
