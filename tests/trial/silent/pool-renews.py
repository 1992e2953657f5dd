"""A Pool of one worker, which it renews after two tasks of two seconds each."""
# expect: none

import multiprocessing
import time


def work(number):
    time.sleep(2)
    return number


def main():
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=2) as pool:
        print(pool.map(work, range(3), chunksize=1))


if __name__ == "__main__":
    main()
