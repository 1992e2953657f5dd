"""Exceptions that workers and threads log and survive, and one that a Future hands over."""
# expect: none

import concurrent.futures
import logging
import multiprocessing


def divide(number):
    try:
        return 6 // number
    except ZeroDivisionError:
        logging.exception("no result for %d", number)
        return 0


def fail(number):
    raise LookupError(number)


def work(results):
    results.put([divide(number) for number in range(3)])


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    worker = context.Process(target=work, args=(results,))
    worker.start()
    print(results.get())
    worker.join()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        print(list(pool.map(divide, range(3))), pool.submit(fail, 7).exception())


if __name__ == "__main__":
    main()
