"""A service: the main thread waits for an event that its handler of SIGTERM sets, while workers wait for what to do."""
# expect: none
# options: --hang-after 3
# stop: SIGTERM 9

import queue
import signal
import threading


class Service:
    def __init__(self):
        self.stopped = threading.Event()
        self.tasks = queue.Queue()
        for _ in range(2):
            threading.Thread(target=self.work, daemon=True).start()
        signal.signal(signal.SIGTERM, self.stop)

    def stop(self, number, frame):
        self.stopped.set()

    def work(self):
        while True:
            self.tasks.get()()

    def run(self):
        self.tasks.put(lambda: print("at work"))
        self.stopped.wait()
        print("stopped")


Service().run()
