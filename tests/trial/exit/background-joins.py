"""Started in the background, with SIGINT ignored: nobody sends anything to the consumer that is joined, and no Ctrl-C ends it."""
# expect: hang warning
# within: 8
# says: SIGINT is ignored
# options: --hang-after 3
# outside: nothing: that it lasts for longer than --hang-after

import queue
import signal
import threading


def consume(tasks):
    while True:
        tasks.get()


signal.signal(signal.SIGINT, signal.SIG_IGN)
consumer = threading.Thread(target=consume, args=(queue.Queue(),), daemon=True)
consumer.start()
consumer.join()
