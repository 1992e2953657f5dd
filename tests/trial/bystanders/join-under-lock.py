"""stop() joins the flusher under the lock that the flusher wants for its last batch; a progress bar redraws itself meanwhile."""
# expect: deadlock-cycle error
# within: 8

import threading
import time


class Writer:
    def __init__(self):
        self.lock, self.stopping, self.batch = threading.Lock(), threading.Event(), []
        self.flusher = threading.Thread(target=self.flush, name="flusher")
        self.flusher.start()

    def flush(self):
        self.stopping.wait()
        with self.lock:
            self.batch.clear()

    def stop(self):
        with self.lock:
            self.stopping.set()
            self.flusher.join()


def redraw():
    while True:
        time.sleep(0.1)


threading.Thread(target=redraw, name="bar", daemon=True).start()
Writer().stop()
