"""The handler of a repeating timer takes the lock that the interrupted code holds."""
# expect: self-deadlock error
# within: 12

import signal
import threading
import time

lock = threading.Lock()
samples = []


def sample(number, frame):
    with lock:
        samples.append(time.monotonic())


signal.signal(signal.SIGALRM, sample)
signal.setitimer(signal.ITIMER_REAL, 0.5, 0.5)
with lock:
    for _ in range(100):
        time.sleep(0.1)
