"""A multiprocessing.Pool idles between two pieces of work and after the last one, and is closed. Its workers, its three
threads and the main thread wait for nothing but each other meanwhile."""
# expect: none

import multiprocessing
import time


def square(number):
    return number * number


if __name__ == "__main__":
    pool = multiprocessing.get_context("fork").Pool(2)
    print(sum(pool.map(square, range(20))), flush=True)
    time.sleep(2.2)
    print(pool.apply_async(time.sleep, (2.2,)).get(), flush=True)
    pool.close()
    pool.join()
    print("closed", flush=True)
