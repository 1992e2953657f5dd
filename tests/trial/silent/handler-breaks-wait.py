"""A handler of SIGALRM raises, and so ends a wait for a lock which the same thread holds: a test of exactly that."""
# expect: none

import signal
import threading


class Late(Exception):
    pass


def late(number, frame):
    raise Late


signal.signal(signal.SIGALRM, late)
lock = threading.Lock()
lock.acquire()
signal.setitimer(signal.ITIMER_REAL, 0.4)
try:
    lock.acquire()
except Late:
    print("late")
