"""
A semaphore counts places. One who has taken both is killed; after two seconds somebody else says that they are free again,
which is how a counter works.
"""
# expect: none
# pythons: all

import multiprocessing
import os
import signal
import time


def child_takes(places, ready):
    places.acquire()
    places.acquire()
    ready.send(None)
    signal.pause()


def child_frees(places):
    time.sleep(2)  # longer than a wait must last to be judged
    places.release()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    places = context.Semaphore(2)
    here, there = context.Pipe()
    taker = context.Process(target=child_takes, args=(places, there))
    taker.start()
    here.recv()
    os.kill(taker.pid, signal.SIGKILL)
    taker.join()
    helper = context.Process(target=child_frees, args=(places,))
    helper.start()
    places.acquire()
    print("a place", flush=True)
    helper.join()
