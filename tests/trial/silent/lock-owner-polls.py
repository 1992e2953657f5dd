"""The owner of a lock asks twice a second whether a server is up, for longer than a wait may last; a thread and a process wait."""
# expect: none
# options: --hang-after 2

import multiprocessing
import threading
import time

TRIES = 16


def connect(lock, begun):
    with lock:
        begun.set()
        for _ in range(TRIES):
            time.sleep(0.5)


def use(lock):
    with lock:
        pass


def main():
    context = multiprocessing.get_context("fork")
    lock, begun = context.Lock(), context.Event()
    worker = context.Process(target=connect, args=(lock, begun))
    worker.start()
    begun.wait()
    use(lock)
    worker.join()
    lock, begun = threading.Lock(), threading.Event()
    threading.Thread(target=connect, args=(lock, begun)).start()
    begun.wait()
    use(lock)


if __name__ == "__main__":
    main()
