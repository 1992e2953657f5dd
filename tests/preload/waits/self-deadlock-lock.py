"""A program with one thread takes a threading.Lock twice, at its very first use."""
# expect: self-deadlock error
# ends: never
# says: release the lock first, split the function
# frames: take_twice
# pythons: all

import threading

lock = threading.Lock()


def take_twice():
    lock.acquire()
    lock.acquire()


take_twice()
