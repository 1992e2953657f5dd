"""A process is killed while it has a multiprocessing.Lock; the only other one waits for it."""
# expect: lock-owner-killed error
# ends: never
# frames: parent_wants
# says: had sent it SIGKILL at <module> (lock-owner-killed-lock.py:
# pythons: all

import multiprocessing
import os
import signal


def child_keeps(lock, ready):
    with lock:
        ready.send(None)
        signal.pause()


def parent_wants(lock):
    with lock:
        print("never", flush=True)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    here, there = context.Pipe()
    child = context.Process(target=child_keeps, args=(lock, there))
    child.start()
    here.recv()
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    parent_wants(lock)
