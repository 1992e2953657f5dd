"""A lock is taken twice, the second time with a limit of 25 seconds."""
# expect: self-deadlock error
# limit: gives up .*2[0-5]
# within: 8

import threading

lock = threading.Lock()


def nested():
    if not lock.acquire(timeout=25):
        raise TimeoutError("settings are locked")


with lock:
    nested()
