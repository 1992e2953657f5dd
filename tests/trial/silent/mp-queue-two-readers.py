"""Two processes poll one multiprocessing.Queue with a limit; the parent feeds them slowly and then sends sentinels."""
# expect: none

import multiprocessing
import queue
import time


def read(items):
    while True:
        try:
            if items.get(timeout=0.5) is None:
                return
        except queue.Empty:
            pass


def main():
    context = multiprocessing.get_context("fork")
    items = context.Queue()
    readers = [context.Process(target=read, args=(items,)) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(3):
        time.sleep(1.5)
        items.put(number)
    for _ in readers:
        items.put(None)
    for reader in readers:
        reader.join()


if __name__ == "__main__":
    main()
