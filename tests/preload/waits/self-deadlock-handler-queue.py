"""A handler of an alarm puts into the queue whose mutex the interrupted code holds."""
# expect: self-deadlock error
# ends: never
# frames: on_alarm count
# says: in the handler of SIGALRM

import queue
import signal

tasks = queue.Queue()


def on_alarm(number, frame):
    tasks.put("late")


def count():
    with tasks.mutex:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        while True:
            pass


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, on_alarm)
    count()
