"""A worker that was told to end works for some seconds more before it does; its parent joins it."""
# expect: none
# options: --hang-after 2

import multiprocessing
import signal
import time


def work(ready):
    told = []
    signal.signal(signal.SIGTERM, lambda *_: told.append(True))
    ready.set()
    while not told:
        time.sleep(0.1)
    until = time.monotonic() + 5
    while time.monotonic() < until:
        sum(range(10_000))


if __name__ == "__main__":
    ready = multiprocessing.Event()
    worker = multiprocessing.Process(target=work, args=(ready,))
    worker.start()
    ready.wait()
    worker.terminate()
    worker.join()
