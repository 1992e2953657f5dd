"""The handler of SIGTERM waits until a thread has saved everything, which takes ten seconds."""
# expect: none

import os
import signal
import threading
import time


class Saver(threading.Thread):
    def __init__(self):
        super().__init__(name="saver")
        self.stop, self.saved = threading.Event(), threading.Event()

    def run(self):
        self.stop.wait()
        time.sleep(10)
        self.saved.set()


def on_term(number, frame):
    saver.stop.set()
    saver.saved.wait()


saver = Saver()
signal.signal(signal.SIGTERM, on_term)
saver.start()
os.kill(os.getpid(), signal.SIGTERM)
saver.join()
