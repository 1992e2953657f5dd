"""A task asks each second for a future made by hand, which a Timer completes after twelve seconds."""
# expect: none

import threading
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError


def outer(future):
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            pass


def main():
    future = Future()
    threading.Timer(12, future.set_result, (7,)).start()
    with ThreadPoolExecutor(1) as executor:
        print(executor.submit(outer, future).result())


main()
