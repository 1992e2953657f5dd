"""A future's callback takes the lock under which the main thread waits for another task of the only worker."""
# expect: deadlock-cycle error
# within: 8

import threading
from concurrent.futures import ThreadPoolExecutor


class Jobs:
    def __init__(self):
        self.lock, self.done, self.executor = threading.Lock(), 0, ThreadPoolExecutor(1)

    def count(self, future):
        with self.lock:
            self.done += 1

    def run(self):
        with self.lock:
            first = self.executor.submit(len, "a")
            first.add_done_callback(self.count)
            return self.executor.submit(len, "b").result()


def main():
    go, jobs = threading.Event(), Jobs()
    jobs.executor.submit(go.wait)
    threading.Timer(0.2, go.set).start()
    print(jobs.run())


main()
