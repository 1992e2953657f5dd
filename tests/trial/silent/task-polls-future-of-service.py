"""A task asks each second for a future that the handler of SIGUSR1 completes: another process sends it after twelve seconds."""
# expect: none

import os
import signal
import time
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError


def outer(future):
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            pass


def main():
    future = Future()
    signal.signal(signal.SIGUSR1, lambda number, frame: future.set_result(7))
    if os.fork() == 0:
        time.sleep(12)
        os.kill(os.getppid(), signal.SIGUSR1)
        os._exit(0)
    with ThreadPoolExecutor(1) as executor:
        print(executor.submit(outer, future).result())
    os.wait()


main()
