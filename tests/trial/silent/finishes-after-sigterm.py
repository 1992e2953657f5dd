"""Workers are told to end, and finish what they have begun, with pauses: longer than --hang-after."""
# expect: none
# options: --hang-after 3

import multiprocessing
import signal
import threading
import time


def finish(pieces):
    for _ in range(pieces):
        time.sleep(0.4)  # as one that saves or sends piece by piece


def work(ready, in_thread):
    told = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: told.set())
    ready.release()
    while not told.is_set():
        time.sleep(0.1)
    if in_thread:
        saver = threading.Thread(target=finish, args=(20,))
        saver.start()
        saver.join()
    else:
        finish(20)


if __name__ == "__main__":
    ready = multiprocessing.Semaphore(0)
    workers = [multiprocessing.Process(target=work, args=(ready, in_thread)) for in_thread in (False, True)]
    for worker in workers:
        worker.start()
    for worker in workers:
        ready.acquire()
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
