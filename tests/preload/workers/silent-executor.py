"""A ThreadPoolExecutor has worked and idles; nobody shuts it down, and the interpreter ends it at exit. One of its
tasks is still asleep by then, with a lock that another task wants."""
# expect: none

import concurrent.futures
import threading
import time

lock, taken = threading.Lock(), threading.Event()


def square(number):
    return number * number


def sleep_with_lock():
    with lock:
        taken.set()
        time.sleep(2.2)


def want_lock():
    with lock:
        print("had the lock", flush=True)


if __name__ == "__main__":
    pool = concurrent.futures.ThreadPoolExecutor(4)
    print(sum(pool.map(square, range(20))), flush=True)
    time.sleep(2.2)
    pool.submit(sleep_with_lock)
    taken.wait()
    pool.submit(want_lock)
