"""A handler of SIGTERM joins a worker that waits for its sentinel, which the code sends that the handler interrupted."""
# expect: missing-sentinel warning
# or: missing-sentinel error
# says: a signal handler runs on top of the code that it interrupted
# within: 10

import multiprocessing
import os
import signal
import threading
import time


def work(queue):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while queue.get() is not None:
        pass


if __name__ == "__main__":
    queue = multiprocessing.SimpleQueue()
    worker = multiprocessing.Process(target=work, args=(queue,))
    worker.start()
    signal.signal(signal.SIGTERM, lambda *_: worker.join())
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
    for number in range(20):
        queue.put(number)
        time.sleep(0.1)
    queue.put(None)
    worker.join()
