"""A task of a pool takes six seconds; an exception of another one is delivered."""
# expect: none

import multiprocessing
import time


def compute(seconds):
    time.sleep(seconds)
    if not seconds:
        raise ValueError("nothing to do")
    return seconds


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        failed = pool.apply_async(compute, (0,))
        try:
            failed.get()
        except ValueError as error:
            print(error)
        print(pool.map(compute, [6, 1]))


if __name__ == "__main__":
    main()
