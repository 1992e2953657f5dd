"""The program ends without a word to its worker: os._exit runs none of what would join it."""
# expect: child-not-joined warning
# frames: start_worker
import multiprocessing
import os
import time


def work():
    os.close(1)
    time.sleep(1)


def start_worker():
    multiprocessing.get_context("fork").Process(target=work).start()


start_worker()
os._exit(0)
