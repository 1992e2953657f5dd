"""A child is killed with a multiprocessing.Lock, which the parent tries to get each 400 ms, ten times."""
# expect: lock-owner-killed error
# may: worker-failed warning
# says: SIGKILL
# pythons: all

import multiprocessing
import os
import signal


def take(lock, ready):
    lock.acquire()
    ready.send(None)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    here, there = context.Pipe()
    child = context.Process(target=take, args=(lock, there))
    child.start()
    here.recv()
    child.join()
    print(any([lock.acquire(timeout=0.4) for _ in range(10)]))
