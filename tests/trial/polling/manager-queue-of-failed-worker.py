"""The parent polls a manager's queue, two seconds at a time, for what a worker was to put that has failed."""
# expect: worker-failed warning
# options: --hang-after 5
# within: 15
# outside: nothing: how often it asked, and when its limit began

import multiprocessing
import queue
import sys


def work(results):
    sys.exit(3)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        results = manager.Queue()
        context.Process(target=work, args=(results,)).start()
        while True:
            try:
                print(results.get(timeout=2))
                break
            except queue.Empty:
                pass
