"""Two non-daemon consumers wait for more; the main thread has ended without a word."""
# expect: deadlock-cycle error
# within: 8

import threading


class Buffer:
    def __init__(self):
        self.filled, self.items = threading.Condition(), []

    def take(self):
        while True:
            with self.filled:
                while not self.items:
                    self.filled.wait()
                self.items.pop()

    def put(self, item):
        with self.filled:
            self.items.append(item)
            self.filled.notify()


def main():
    buffer = Buffer()
    for _ in range(2):
        threading.Thread(target=buffer.take, name="consumer").start()
    for item in range(5):
        buffer.put(item)


main()
