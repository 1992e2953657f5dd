"""Three children, one after the other, wait for a lock whose owner the forks did not copy, until each is killed."""
# expect: fork-orphaned-lock error
# frames: work
# options: --on-deadlock=report
# says: "count": 3
# unsaid: wait alike

import multiprocessing
import threading
import time

cache_lock = threading.Lock()
taken, done = threading.Event(), threading.Event()


def refresh():
    with cache_lock:
        taken.set()
        done.wait()


def work():
    with cache_lock:
        pass


if __name__ == "__main__":
    refresher = threading.Thread(target=refresh, name="refresher")
    refresher.start()
    taken.wait()
    for _ in range(3):
        worker = multiprocessing.get_context("fork").Process(target=work)
        worker.start()
        time.sleep(2.5)  # the case itself: the wait has been proved, mostly
        worker.kill()
        worker.join()
    done.set()
    refresher.join()
