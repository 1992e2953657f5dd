"""A worker fails, and the parent, which asks for its result with a limit, notices it: the way the documentation recommends."""
# expect: none

import multiprocessing
import queue
import sys


def work(results):
    sys.exit(4)


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    worker = context.Process(target=work, args=(results,))
    worker.start()
    while True:
        try:
            results.get(timeout=0.5)
        except queue.Empty:
            if not worker.is_alive():
                print("failed:", worker.exitcode)
                return


if __name__ == "__main__":
    main()
