"""The only thread waits for a lock and for a permit, which the handler of an alarm releases."""
# expect: none

import signal
import threading

lock, permits = threading.Lock(), threading.Semaphore(0)


def ring(*_):
    lock.release()
    permits.release()


signal.signal(signal.SIGALRM, ring)
signal.alarm(4)
lock.acquire()
lock.acquire()
permits.acquire()
print("rang")
