"""A handler of an interval timer sets the event for which the main thread waits without a limit."""
# expect: none

import signal
import threading

beat, beats = threading.Event(), []


def on_alarm(number, frame):
    beats.append(number)
    beat.set()


signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 3, 2)
for _ in range(3):
    beat.wait()
    beat.clear()
print(len(beats))
