"""Tasks of a pool of two: one asks each second for a third task, which starts when the other has slept for twelve seconds."""
# expect: none

import time
from concurrent.futures import ThreadPoolExecutor, TimeoutError


def outer(executor):
    future = executor.submit(sum, [1, 2])
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            pass


def main():
    with ThreadPoolExecutor(2) as executor:
        executor.submit(time.sleep, 12)
        print(executor.submit(outer, executor).result())


main()
