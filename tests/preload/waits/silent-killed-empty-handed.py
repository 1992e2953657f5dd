"""A process is killed after it has given a lock back; another one waits for that lock, held by the living, and gets it."""
# expect: none
# pythons: all

import multiprocessing
import os
import signal
import time


def child_used(lock, ready):
    with lock:
        pass
    ready.send(None)
    signal.pause()


def child_waits(lock):
    with lock:
        print("child had the lock", flush=True)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    here, there = context.Pipe()
    used = context.Process(target=child_used, args=(lock, there))
    used.start()
    here.recv()
    lock.acquire()
    os.kill(used.pid, signal.SIGKILL)
    used.join()
    waits = context.Process(target=child_waits, args=(lock,))
    waits.start()
    time.sleep(2)  # longer than a wait must last to be judged
    lock.release()
    waits.join()
