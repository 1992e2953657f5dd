"""A thread dies of an exception that has nothing to do with what the main thread waits for, and gets."""
# expect: none

import queue
import threading


def report(table):
    print(table["missing"])


def work(items):
    for number in range(3):
        items.put(number)


def main():
    items = queue.Queue()
    broken = threading.Thread(target=report, args=({},))
    broken.start()
    broken.join()
    worker = threading.Thread(target=work, args=(items,))
    worker.start()
    print(sum(items.get() for _ in range(3)))
    worker.join()


if __name__ == "__main__":
    main()
