"""A Timer releases the lock of multiprocessing that its main thread took, and for which a child that this joins waits."""
# expect: none
# options: --hang-after 2

import multiprocessing
import threading


def use(lock):
    with lock:
        pass


def main():
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    lock.acquire()
    worker = context.Process(target=use, args=(lock,))
    worker.start()
    threading.Timer(6, lock.release).start()
    worker.join()


if __name__ == "__main__":
    main()
