"""Two threads take two threading.Locks in opposite orders, one thread after the other, so that nothing hangs."""
# options: --rule lock-order-inversion=warning
# expect: lock-order-inversion warning
# frames: first_then_second second_then_first
# says: while it held Python lock
# says: "count": 1,
# pythons: all

import threading

first, second = threading.Lock(), threading.Lock()


def first_then_second():
    for _ in range(3):
        with first:
            with second:
                pass


def second_then_first():
    for _ in range(3):
        with second:
            with first:
                pass


def run(body):
    thread = threading.Thread(target=body, name=body.__name__)
    thread.start()
    thread.join()


run(first_then_second)
run(second_then_first)
