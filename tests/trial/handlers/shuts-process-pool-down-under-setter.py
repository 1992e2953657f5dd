"""A handler of SIGTERM shuts a process pool down, whose task waits for an event that the interrupted code would have set next."""
# expect: hang warning
# options: --hang-after 3
# says: a signal handler runs on top of the code that it interrupted
# within: 14
# outside: nothing: that it lasts for longer than --hang-after

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor


def begin(event):
    global loaded
    loaded = event
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def train():
    loaded.wait()


def main():
    context = multiprocessing.get_context("fork")
    event = context.Event()
    executor = ProcessPoolExecutor(1, context, begin, (event,))
    trained = executor.submit(train)
    signal.signal(signal.SIGTERM, lambda number, frame: executor.shutdown(wait=True))
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGTERM)).start()
    time.sleep(2)
    event.set()
    trained.result()


if __name__ == "__main__":
    main()
