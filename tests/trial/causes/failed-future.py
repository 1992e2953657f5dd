"""A loader runs in an executor, and nobody asks its Future why the items end."""
# expect: deadlock-cycle error
# says: waits forever at take \(failed-future.py:23\) beside a Future that failed with FileNotFoundError\(.*\) raised at Loader.load \(failed-future.py:13\)
# says: ask each task and Future for its result
# within: 20
import concurrent.futures
import queue


class Loader:
    def load(self, paths):
        for path in paths:
            with open(path) as file:
                self.items.put(file.read())
        self.items.put(None)

    def __init__(self, executor):
        self.items = queue.Queue()
        self.future = executor.submit(self.load, ["/etc/hostname", "/there/is/no such file"])


def take(loader):
    return list(iter(loader.items.get, None))


if __name__ == "__main__":
    print(take(Loader(concurrent.futures.ThreadPoolExecutor(1))))
