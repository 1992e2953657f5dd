"""The program exits from within a function that has acquired a lock; an atexit callback takes the lock to save the state."""
# expect: self-deadlock error
# within: 8

import atexit
import sys
import threading

state_lock = threading.Lock()


def save():
    with state_lock:
        print("saved")


def change(value):
    state_lock.acquire()
    if value < 0:
        sys.exit("negative")
    state_lock.release()


atexit.register(save)
change(-1)
