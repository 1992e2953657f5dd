"""A ProcessPoolExecutor is idle for six seconds, then works, then ends."""
# expect: none

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor


def main():
    with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as executor:
        print(executor.submit(abs, -1).result())
        time.sleep(6)
        print(executor.submit(abs, -2).result())


if __name__ == "__main__":
    main()
