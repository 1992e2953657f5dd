"""The only thread waits for a lock that it took itself. A timer's signal comes, and its handler gives the lock back: a
threading.Lock knows no owner."""
# expect: none
# pythons: all

import signal
import threading

lock = threading.Lock()


def give_back(number, frame):
    lock.release()


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, give_back)
    lock.acquire()
    signal.setitimer(signal.ITIMER_REAL, 2.2)
    lock.acquire()
    print("given back by the handler", flush=True)
