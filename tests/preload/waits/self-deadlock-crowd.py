"""More workers than processors, which mostly waited, in a program that hangs in the end: there is something else to mend."""
# expect: self-deadlock error
# silent: too-many-workers
# ends: never
import multiprocessing
import os
import threading
import time


def fetch():
    begin = time.process_time()
    while time.process_time() - begin < 0.5:
        pass
    time.sleep(3.5)  # the case itself: for so long nobody works


context = multiprocessing.get_context("fork")
workers = [context.Process(target=fetch) for _ in range(len(os.sched_getaffinity(0)) + 2)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
lock = threading.Lock()
lock.acquire()
lock.acquire()
