"""A multiprocessing.Lock is kept by a working child for six seconds; the parent tries each second."""
# expect: none

import multiprocessing
import time


def work(lock, has_lock):
    with lock:
        has_lock.set()
        time.sleep(6)


def main():
    context = multiprocessing.get_context("fork")
    lock, has_lock = context.Lock(), context.Event()
    child = context.Process(target=work, args=(lock, has_lock))
    child.start()
    has_lock.wait()
    while not lock.acquire(timeout=1):
        pass
    lock.release()
    child.join()


if __name__ == "__main__":
    main()
