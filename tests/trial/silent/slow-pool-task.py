"""One task of a Pool takes seven seconds; map_async().get() has a limit of 30."""
# expect: none

import multiprocessing
import time


def work(seconds):
    time.sleep(seconds)
    return seconds


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map_async(work, [0, 7, 0, 0], chunksize=1).get(30))


if __name__ == "__main__":
    main()
