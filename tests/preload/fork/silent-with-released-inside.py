"""A thread is in a `with` block of a lock that it released inside; the main thread has the lock now, and forks.

The child has the lock from its main thread, which releases it: a thread of the child that waits for it goes on.
"""
# expect: none
# silent: fork-lock-held fork-orphaned-lock
# pythons: all

import os
import threading
import time

lock = threading.Lock()
released, enough = threading.Event(), threading.Event()


def pause_inside():
    with lock:
        lock.release()
        released.set()
        enough.wait()
        lock.acquire()


def take():
    with lock:
        print("taken", flush=True)


def sleeps(thread):
    with open(f"/proc/self/task/{thread.native_id}/stat", encoding="utf-8") as stat:
        return stat.read().rpartition(")")[2].split()[0] == "S"


def child():
    taker = threading.Thread(target=take)
    taker.start()
    seen = 0
    while seen < 10:  # it waits for the lock, and not just for the GIL
        time.sleep(0.01)
        seen = seen + 1 if sleeps(taker) else 0
    return taker


def main():
    pauser = threading.Thread(target=pause_inside)
    pauser.start()
    released.wait()
    with lock:
        inside = os.fork()
        taker = None if inside else child()
    if taker:
        taker.join()
        os._exit(0)
    os.waitpid(inside, 0)
    enough.set()
    pauser.join()


main()
