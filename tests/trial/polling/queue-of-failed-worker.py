"""get(timeout=1) of a multiprocessing.Queue in a loop; the only worker failed, and the parent never asks after it."""
# expect: deadlock-cycle warning
# or: worker-failed warning
# says: (status|code) 1
# within: 20

import multiprocessing
import queue


def train(results):
    results.put({}["weights"])


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    context.Process(target=train, args=(results,)).start()
    while True:
        try:
            print(results.get(timeout=1))
            break
        except queue.Empty:
            pass


if __name__ == "__main__":
    main()
