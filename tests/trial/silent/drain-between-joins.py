"""The parent joins its child for half a second, and drains the queue in between: a loop that needs both."""
# expect: none

import multiprocessing
import queue
import time


def produce(results):
    for _ in range(12):
        results.put(bytes(1 << 19))
        time.sleep(0.2)


def main():
    context = multiprocessing.get_context("fork")
    results, size = context.Queue(), 0
    child = context.Process(target=produce, args=(results,))
    child.start()
    while child.is_alive() or not results.empty():
        child.join(0.5)
        try:
            while True:
                size += len(results.get_nowait())
        except queue.Empty:
            pass
    print(size)


if __name__ == "__main__":
    main()
