"""Two Conditions of one Lock: each side of the buffer notifies the one at which it waits itself."""
# expect: deadlock-cycle error
# within: 6

import threading

lock = threading.Lock()
not_full, not_empty, begun = threading.Condition(lock), threading.Condition(lock), threading.Event()
items = []


def consume():
    with lock:
        begun.set()
        while not items:
            not_empty.wait()
        items.pop()
        not_empty.notify()


def produce():
    for item in range(10):
        with lock:
            while len(items) > 3:
                not_full.wait()
            items.append(item)
            not_full.notify()


def main():
    consumer = threading.Thread(target=consume, name="consumer")
    consumer.start()
    begun.wait()
    produce()
    consumer.join()


main()
