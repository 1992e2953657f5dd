"""The handler of a repeating timer waits, some seconds long, for a lock that a thread gives back."""
# expect: none

import signal
import threading
import time

lock = threading.Lock()
ticks = []


def hold():
    with lock:
        time.sleep(5)


def tick(number, frame):
    with lock:
        ticks.append(number)


thread = threading.Thread(target=hold)
thread.start()
signal.signal(signal.SIGALRM, tick)
signal.setitimer(signal.ITIMER_REAL, 0.7, 0.7)
while len(ticks) < 10:
    time.sleep(0.1)
signal.setitimer(signal.ITIMER_REAL, 0)
thread.join()
print(len(ticks) >= 10)
