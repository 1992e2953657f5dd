"""A pool of threads has worked and is idle at the fork; the child makes a pool of its own and works too."""
# expect: none

import concurrent.futures
import multiprocessing
import time


def square(number):
    return number * number


def child_works():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        print("child", sum(pool.map(square, range(10))), flush=True)
    time.sleep(1.3)  # longer than a child may live beside a held lock


if __name__ == "__main__":
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        print("parent", sum(pool.map(square, range(100))), flush=True)
        process = multiprocessing.get_context("fork").Process(target=child_works)
        process.start()
        process.join()
