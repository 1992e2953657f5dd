"""An event is set by the handler of an alarm, which sooner or later comes while the loop clears it."""
# expect: self-deadlock error
# within: 20
# outside: nothing: whether another alarm is to come
# options: --hang-after 60
# says: in (a signal handler|the handler of SIGALRM)
# says: take no lock in a signal handler

import random
import signal
import threading

requested = threading.Event()
signal.signal(signal.SIGALRM, lambda *_: requested.set())
while True:
    signal.setitimer(signal.ITIMER_REAL, random.uniform(5e-6, 2e-3))
    for _ in range(3000):
        requested.clear()
