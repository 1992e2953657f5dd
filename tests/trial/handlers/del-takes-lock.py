"""The last reference to an object goes while its owner's lock is held; __del__ takes that lock."""
# expect: self-deadlock error
# within: 8

import threading


class Registry:
    def __init__(self):
        self.lock, self.live = threading.Lock(), {}

    def drop(self, name):
        with self.lock:
            del self.live[name]


class Handle:
    def __init__(self, registry, name):
        self.registry = registry
        registry.live[name] = self

    def __del__(self):
        with self.registry.lock:
            self.registry.closed = True


def main():
    registry = Registry()
    Handle(registry, "one")
    registry.drop("one")


main()
