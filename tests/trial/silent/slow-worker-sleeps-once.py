"""A worker sleeps 8 seconds in one piece; the parent polls for its result each second."""
# expect: none

import multiprocessing
import queue
import time


def work(results):
    time.sleep(8)
    results.put("done")


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    worker = context.Process(target=work, args=(results,))
    worker.start()
    while True:
        try:
            print(results.get(timeout=1))
            break
        except queue.Empty:
            pass
    worker.join()


if __name__ == "__main__":
    main()
