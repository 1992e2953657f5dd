"""Threads that end early keep the permits of a BoundedSemaphore, of which the main thread wants one."""
# expect: deadlock-cycle error
# says: permit
# within: 6

import threading

slots = threading.BoundedSemaphore(2)


def use():
    slots.acquire()


threads = [threading.Thread(target=use) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
slots.acquire()
