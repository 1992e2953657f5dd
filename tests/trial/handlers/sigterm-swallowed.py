"""A worker's handler of SIGTERM cleans up and returns, so that the worker goes on; its parent has terminated and joins it."""
# expect: hang warning
# within: 42
# options: --hang-after 3
# says: was sent SIGTERM before, and goes on
# outside: nothing: that it lasts for longer than --hang-after

import multiprocessing
import signal
import time


def work(ready):
    signal.signal(signal.SIGTERM, lambda *_: print("cleaned up", flush=True))
    ready.set()
    while True:
        time.sleep(0.5)


if __name__ == "__main__":
    ready = multiprocessing.Event()
    worker = multiprocessing.Process(target=work, args=(ready,))
    worker.start()
    ready.wait()
    worker.terminate()
    worker.join()
