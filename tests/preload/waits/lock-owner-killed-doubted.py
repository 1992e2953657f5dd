"""As py_owner_killed, while another process that could give the lock back is busy for longer than a doubt is kept:
the warning becomes an error when that process has ended."""
# expect: lock-owner-killed error
# ends: never
# frames: parent_wants
# says: SIGKILL

import multiprocessing
import os
import signal
import time

BUSY = 4  # seconds: the case itself


def child_keeps(lock, ready):
    with lock:
        ready.send(None)
        signal.pause()


def bystander(lock):
    time.sleep(BUSY)


def parent_wants(lock):
    with lock:
        print("never", flush=True)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    here, there = context.Pipe()
    child = context.Process(target=child_keeps, args=(lock, there))
    other = context.Process(target=bystander, args=(lock,))
    child.start()
    other.start()
    here.recv()
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    parent_wants(lock)
