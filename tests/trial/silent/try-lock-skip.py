"""A periodic job skips its turn while the previous one still has the lock."""
# expect: none

import threading
import time


def job(lock, skipped, seconds):
    if not lock.acquire(blocking=False):
        skipped.append(1)
        return
    try:
        time.sleep(seconds)
    finally:
        lock.release()


def main():
    lock, skipped = threading.Lock(), []
    slow = threading.Thread(target=job, args=(lock, skipped, 5))
    slow.start()
    time.sleep(0.1)
    for _ in range(8):
        job(lock, skipped, 0)
        time.sleep(0.5)
    slow.join()
    print("skipped some" if skipped else "skipped none")


main()
