"""As slow-producer-thread, with a process and get_nowait() beside a sleep."""
# expect: none

import multiprocessing
import queue
import time


def produce(items):
    for number in range(3):
        time.sleep(2.5)
        items.put(number)


def main():
    context = multiprocessing.get_context("fork")
    items = context.Queue()
    child = context.Process(target=produce, args=(items,))
    child.start()
    got = []
    while len(got) < 3:
        try:
            got.append(items.get_nowait())
        except queue.Empty:
            time.sleep(0.2)
    child.join()
    print(got)


if __name__ == "__main__":
    main()
