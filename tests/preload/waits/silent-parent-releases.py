"""
A process is killed while it has a lock. Its parent sees that, and after two seconds releases the lock in its place, which a
plain Lock allows: no proof, whatever the other child thinks of it.
"""
# expect: none
# may: lock-owner-killed warning
# pythons: all

import multiprocessing
import os
import signal
import time


def child_keeps(lock, ready):
    lock.acquire()
    ready.send(None)
    signal.pause()


def child_wants(lock):
    with lock:
        print("child had the lock", flush=True)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    here, there = context.Pipe()
    keeper = context.Process(target=child_keeps, args=(lock, there))
    keeper.start()
    here.recv()
    waiter = context.Process(target=child_wants, args=(lock,))
    waiter.start()
    os.kill(keeper.pid, signal.SIGKILL)
    keeper.join()
    time.sleep(2)  # longer than a wait must last to be judged
    lock.release()
    waiter.join()
