"""A supervisor polls its worker, which fails twice, and starts it again; the third one brings the result after four seconds."""
# expect: none

import multiprocessing
import queue
import time


def work(results, attempt):
    time.sleep(1)
    if attempt < 2:
        raise SystemExit(1)
    time.sleep(4)
    results.put(attempt)


def main():
    context = multiprocessing.get_context("fork")
    results, attempt, worker = context.Queue(), -1, None
    while True:
        if worker is None or not worker.is_alive():
            attempt += 1
            worker = context.Process(target=work, args=(results, attempt))
            worker.start()
        try:
            print(results.get(timeout=0.5))
            break
        except queue.Empty:
            pass
    worker.join()


if __name__ == "__main__":
    main()
