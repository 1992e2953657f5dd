"""Started in the background, with SIGINT ignored: a service at rest, which handles SIGTERM."""
# expect: none
# options: --hang-after 2
# stop: SIGTERM 5

import queue
import signal
import sys
import threading


def consume(tasks):
    while True:
        tasks.get()


signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
consumer = threading.Thread(target=consume, args=(queue.Queue(),), daemon=True)
consumer.start()
consumer.join()
