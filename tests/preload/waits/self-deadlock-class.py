"""A lock that all instances of a class share is taken again by another method: it has the name of its class."""
# expect: self-deadlock error
# ends: never
# frames: first second
# says: Store.guard
# says: (class attribute), which it already holds
# pythons: all

import threading


class Store:
    guard = threading.Lock()


class Cache(Store):
    def first(self):
        with self.guard:
            second()


def second():
    with Cache.guard:
        pass


if __name__ == "__main__":
    Cache().first()
