"""A thread fills a queue.Queue; a forked child waits for an item in its copy of the queue."""
# expect: fork-lost-wakeup error
# ends: never
# frames: child_gets
# pythons: all

import multiprocessing
import queue
import threading

items, asked = queue.Queue(), queue.Queue()


def fill():
    while True:
        items.put(asked.get())


def child_gets():
    items.get()


if __name__ == "__main__":
    threading.Thread(target=fill, daemon=True).start()
    asked.put("one")
    items.get()
    process = multiprocessing.get_context("fork").Process(target=child_gets)
    process.start()
    process.join()
