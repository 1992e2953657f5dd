"""The parent holds a multiprocessing.Lock at the fork and gives it back after the child has long been waiting."""
# expect: none
# pythons: all

import multiprocessing
import time


def child_works(lock, ready):
    ready.send(None)
    with lock:
        print("child had the lock", flush=True)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    here, there = context.Pipe()
    lock.acquire()
    process = context.Process(target=child_works, args=(lock, there))
    process.start()
    here.recv()
    time.sleep(0.9)  # longer than a wait must last to be judged
    lock.release()
    process.join()
