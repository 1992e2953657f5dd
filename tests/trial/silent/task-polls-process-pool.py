"""A task of a thread pool asks each second for the result of a process pool, whose worker takes twelve seconds."""
# expect: none

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, TimeoutError


def outer(future):
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            pass


def main():
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as processes:
        future = processes.submit(time.sleep, 12)
        with ThreadPoolExecutor(1) as threads:
            print(threads.submit(outer, future).result())


if __name__ == "__main__":
    main()
