"""A worker that nobody tells to stop is ended by a watchdog, another program that the job started: as long as that lives,
nothing is lost. Its pause is the case itself: longer than a hang needs to be proven."""
# expect: none

import multiprocessing
import subprocess

LATE = 1.5


def worker(queue):
    while queue.get() is not None:
        pass


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=worker, args=(queue,))
    process.start()
    queue.put(1)
    watchdog = subprocess.Popen(["sh", "-c", f"sleep {LATE}; kill {process.pid}"])
    process.join()
    print(process.exitcode, watchdog.wait())
