"""A thread dies of an exception, is noticed, and replaced: the queue is served in the end."""
# expect: none

import queue
import threading


def serve(items, done):
    while True:
        item = items.get()
        if item is None:
            return
        done.put(10 / item)


def main():
    items, done = queue.Queue(), queue.Queue()
    for number in (1, 0, 2, None):
        items.put(number)
    for _ in range(2):
        thread = threading.Thread(target=serve, args=(items, done))
        thread.start()
        thread.join()
    print(done.get(), done.get())


if __name__ == "__main__":
    main()
