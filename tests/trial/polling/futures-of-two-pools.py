"""Two executors of one worker each: their tasks ask each second for the result of a task that waits in the other one."""
# expect: deadlock-cycle error
# within: 12

import threading
from concurrent.futures import ThreadPoolExecutor, TimeoutError


def outer(met, other):
    met.wait()
    future = other.submit(sum, [1, 2])
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            pass


def main():
    met = threading.Barrier(2)
    with ThreadPoolExecutor(1) as left, ThreadPoolExecutor(1) as right:
        results = [left.submit(outer, met, right), right.submit(outer, met, left)]
        print([result.result() for result in results])


main()
