"""A worker polls a stop Event, which the parent sets after five seconds, and lives by the parent's grace."""
# expect: none

import multiprocessing
import time


def work(stop):
    while not stop.wait(0.5):
        pass


def main():
    context = multiprocessing.get_context("fork")
    stop = context.Event()
    worker = context.Process(target=work, args=(stop,))
    worker.start()
    time.sleep(5)
    stop.set()
    worker.join()


if __name__ == "__main__":
    main()
