"""A service has a Condition that its thread notifies; a forked child, a method of the service, waits for its copy."""
# expect: fork-lost-wakeup error
# ends: never
# frames: work
# pythons: all

import multiprocessing
import threading


class Service:
    def __init__(self):
        self.changed = threading.Condition()
        self.number = 0

    def count(self):
        while True:
            with self.changed:
                self.number += 1
                self.changed.notify_all()
                self.changed.wait_for(lambda: self.number == 0)

    def work(self):
        with self.changed:
            self.number = 0
            self.changed.wait_for(lambda: self.number)


if __name__ == "__main__":
    service = Service()
    threading.Thread(target=service.count, daemon=True).start()
    with service.changed:
        service.changed.wait_for(lambda: service.number)
    process = multiprocessing.get_context("fork").Process(target=service.work)
    process.start()
    process.join()
