"""A function takes a lock by acquire(), and calls itself; an alarm ends the program after a minute."""
# expect: self-deadlock error
# limit: SIGALRM ends the process in
# within: 6

import signal
import threading

lock = threading.Lock()


def update(depth):
    lock.acquire()
    if depth:
        update(depth - 1)
    lock.release()


signal.alarm(60)
update(1)
