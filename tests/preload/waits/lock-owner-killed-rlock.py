"""
As lock-owner-killed-lock with an RLock, which nobody but its owner can release: a proof although the parent only
sleeps, and could do anything.
"""
# expect: lock-owner-killed error
# ends: never
# frames: child_wants
# says: SIGKILL
# pythons: all
# outside: nothing: who took it, and died

import multiprocessing
import os
import signal
import time


def child_keeps(lock, ready):
    with lock:
        ready.send(None)
        signal.pause()


def child_wants(lock):
    with lock:
        print("never", flush=True)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock = context.RLock()
    here, there = context.Pipe()
    keeper = context.Process(target=child_keeps, args=(lock, there))
    keeper.start()
    here.recv()
    os.kill(keeper.pid, signal.SIGKILL)
    keeper.join()
    waiter = context.Process(target=child_wants, args=(lock,))
    waiter.start()
    while waiter.is_alive():
        time.sleep(0.1)
