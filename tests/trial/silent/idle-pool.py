"""A Pool's processes are idle for six seconds between two maps."""
# expect: none

import multiprocessing
import time


def main():
    with multiprocessing.get_context("fork").Pool(3) as pool:
        print(pool.map(abs, range(-4, 4)))
        time.sleep(6)
        print(pool.map(abs, range(-4, 4)))


if __name__ == "__main__":
    main()
