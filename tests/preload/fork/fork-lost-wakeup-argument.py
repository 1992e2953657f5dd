"""A thread fills a queue.Queue that is an argument of a process: the child waits for an item in its copy."""
# expect: fork-lost-wakeup error
# ends: never
# frames: worker
# pythons: all

import multiprocessing
import queue
import threading


def fill(items, asked):
    while True:
        items.put(asked.get())


def worker(number, items):
    while number:
        number -= items.get()


def main():
    asked = queue.Queue()
    items = queue.Queue()
    threading.Thread(target=fill, args=(items, asked), daemon=True).start()
    asked.put(1)
    items.get()
    start(1, items)


def start(*args):
    process = multiprocessing.get_context("fork").Process(target=worker, args=args)
    process.start()
    process.join()


if __name__ == "__main__":
    main()
