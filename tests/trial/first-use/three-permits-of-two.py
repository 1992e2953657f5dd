"""The only thread takes a third permit of a semaphore that has two."""
# expect: deadlock-cycle error
# says: permit
# within: 6

import threading

connections = threading.Semaphore(2)


def fetch(depth):
    with connections:
        if depth:
            fetch(depth - 1)


fetch(2)
