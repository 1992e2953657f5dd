"""A task asks each second for a future that the handler of SIGALRM completes after twelve seconds; the main thread waits for the task."""
# expect: none

import signal
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError


def outer(future):
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            pass


def main():
    future = Future()
    signal.signal(signal.SIGALRM, lambda number, frame: future.set_result(7))
    signal.alarm(12)
    with ThreadPoolExecutor(1) as executor:
        print(executor.submit(outer, future).result())


main()
