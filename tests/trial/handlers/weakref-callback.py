"""A weak reference's callback wants the lock under which the object is let go."""
# expect: self-deadlock error
# within: 8

import threading
import weakref


class Image:
    pass


class Cache:
    def __init__(self):
        self.lock, self.images, self.keys = threading.Lock(), {}, {}

    def add(self, name, image):
        with self.lock:
            self.images[name] = image
            self.keys[name] = weakref.ref(image, self.forget)

    def forget(self, reference):
        with self.lock:
            self.keys = {name: key for name, key in self.keys.items() if key is not reference}

    def evict(self):
        with self.lock:
            self.images.clear()


def main():
    cache = Cache()
    cache.add("logo", Image())
    cache.evict()


main()
