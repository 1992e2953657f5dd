"""A task asks each second for the result of a task of another pool, which stands behind one that takes twelve seconds."""
# expect: none

import time
from concurrent.futures import ThreadPoolExecutor, TimeoutError


def outer(future):
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            pass


def main():
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        other.submit(time.sleep, 12)
        print(one.submit(outer, other.submit(sum, [1, 2])).result())


main()
