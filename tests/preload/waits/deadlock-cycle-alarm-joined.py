"""Two threads take two locks in opposite orders, the main thread joins them, and an alarm will end the process."""
# expect: deadlock-cycle error
# ends: never
# says: wait-for cycle
# says: SIGALRM ends the process
# says: locks are taken in opposite orders
import signal
import threading

signal.alarm(600)
one, other = threading.Lock(), threading.Lock()
both = threading.Barrier(2)


def take(first, second):
    with first:
        both.wait()
        with second:
            pass


threads = [threading.Thread(target=take, args=locks) for locks in ((one, other), (other, one))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
