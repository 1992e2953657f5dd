"""A child is killed with a multiprocessing.Lock; another one gives it back after four seconds, while the parent tries
to get it each 400 ms."""
# expect: none

import multiprocessing
import os
import signal
import time


def take(lock, ready):
    lock.acquire()
    ready.send(None)
    signal.pause()


def repair(lock):
    time.sleep(4)
    lock.release()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    here, there = context.Pipe()
    other = context.Process(target=repair, args=(lock,))
    child = context.Process(target=take, args=(lock, there))
    child.start()
    other.start()
    here.recv()
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    while not lock.acquire(timeout=0.4):
        pass
    other.join()
