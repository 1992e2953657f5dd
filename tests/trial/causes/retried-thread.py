"""A thread dies, and is joined and forgotten; another one puts one item too few."""
# expect: deadlock-cycle error
# outside: deadlock-cycle error: what was raised before
# says: ^the main thread
# says: failed before: .*ended by ConnectionError
# within: 20

import queue
import threading


def count():
    raise ConnectionError("nobody counts here")


def produce(items):
    for number in range(2):
        items.put(number)


def main():
    items = queue.Queue()
    counter = threading.Thread(target=count, name="counter")
    counter.start()
    counter.join()
    threading.Thread(target=produce, args=(items,)).start()
    print([items.get() for _ in range(3)])


if __name__ == "__main__":
    main()
