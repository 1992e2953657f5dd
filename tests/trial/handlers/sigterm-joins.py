"""A SIGTERM handler joins the worker that waits for a lock of the interrupted main thread."""
# expect: deadlock-cycle error
# within: 8

import os
import signal
import threading


class Service:
    def __init__(self):
        self.lock, self.asked = threading.Lock(), threading.Event()
        self.worker = threading.Thread(target=self.work, name="worker")
        signal.signal(signal.SIGTERM, self.stop)
        self.worker.start()

    def work(self):
        self.asked.wait()
        with self.lock:
            print("last batch")

    def stop(self, number, frame):
        self.asked.set()
        self.worker.join()

    def serve(self):
        with self.lock:
            os.kill(os.getpid(), signal.SIGTERM)
            for _ in range(1000):
                pass


Service().serve()
