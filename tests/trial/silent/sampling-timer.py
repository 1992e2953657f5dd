"""A sampling profiler's timer interrupts the main thread 20 times a second, while it waits for a lock that a sleeper holds."""
# expect: none

import signal
import threading
import time

samples = []


def rest(lock, resting):
    with lock:
        resting.set()
        time.sleep(5)


def main():
    signal.signal(signal.SIGALRM, lambda number, frame: samples.append(frame.f_lineno))
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    lock, resting = threading.Lock(), threading.Event()
    threading.Thread(target=rest, args=(lock, resting)).start()
    resting.wait()
    with lock:
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(len(samples) > 10)


main()
