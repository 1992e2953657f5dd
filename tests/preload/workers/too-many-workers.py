"""More workers than processors, which work at first, and wait for most of the time."""
# expect: none
# note: too-many-workers
# says: mostly waited
# says: started a worker
# silent: cpu-oversubscribed
# prints: 0
import multiprocessing
import os
import time

CONTEXT = multiprocessing.get_context("fork")


def fetch():
    begin = time.process_time()
    while time.process_time() - begin < 0.5:
        pass
    time.sleep(3.5)  # the case itself: for so long nobody works


def start_all():
    for worker in workers:
        worker.start()


workers = [CONTEXT.Process(target=fetch) for _ in range(len(os.sched_getaffinity(0)) + 2)]
start_all()
for worker in workers:
    worker.join()
print(len([worker for worker in workers if worker.exitcode]))
