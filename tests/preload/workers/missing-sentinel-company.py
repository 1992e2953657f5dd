"""As missing-sentinel-one, beside another program of the job, which might be a watchdog and is none: told when it has ended."""
# expect: missing-sentinel error
# ends: never
# frames: parent_joins

import multiprocessing
import subprocess

COMPANY = 2  # seconds: the case itself


def worker(queue):
    while queue.get() is not None:
        pass


def parent_joins(process):
    process.join()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=worker, args=(queue,))
    process.start()
    queue.put(1)
    subprocess.Popen(["sleep", str(COMPANY)])
    parent_joins(process)
