"""A worker that crashes under a parent with a handler for SIGCHLD, which learns of it from there."""
# expect: none
import multiprocessing
import os
import signal
import time


def crash():
    time.sleep(0.3)
    os.abort()


heard = []
signal.signal(signal.SIGCHLD, lambda *_: heard.append(True))
worker = multiprocessing.get_context("fork").Process(target=crash)
worker.start()
worker.join()
time.sleep(0.5)  # it is looked at while its parent is there
print(bool(heard))
