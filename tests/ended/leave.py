"""Leaves a child behind that hangs for a reason of its own: leave.py KIND. That has to be told, whoever has ended."""
import os
import sys
import threading
import time

KIND = sys.argv[1]


def wait_for_end(reader):
    """Returns when the parent has ended: nobody else has the other end of this pipe."""
    assert os.read(reader, 1) == b""


def orphaned(alive):
    """A lock that a thread of the parent held at the fork."""
    lock, held = threading.Lock(), threading.Event()

    def keep():
        with lock:
            held.set()
            time.sleep(60)

    threading.Thread(target=keep, daemon=True).start()
    held.wait()
    return lambda: lock.acquire()


def opposite(alive):
    """Two threads of the child take two locks in opposite orders, once the parent has ended."""
    locks, both = [threading.Lock(), threading.Lock()], threading.Barrier(2)

    def take(first, second):
        with locks[first]:
            both.wait()
            with locks[second]:
                pass

    def hang():
        wait_for_end(alive)
        threading.Thread(target=take, args=(0, 1), daemon=True).start()
        take(1, 0)

    return hang


def lost_wakeup(alive):
    """A condition that nobody can signal: the thread that would was not copied."""
    condition = threading.Condition()

    def hang():
        wait_for_end(alive)
        with condition:
            condition.wait()

    return hang


reader, writer = os.pipe()
hang = globals()[KIND](reader)
if os.fork() == 0:
    os.close(writer)
    hang()
    os._exit(0)
print("ready", os.getpid(), flush=True)
if "stays" in sys.argv:
    time.sleep(60)
os._exit(0)
