"""A lock is still held when the interpreter ends, and an atexit callback takes it."""
# expect: self-deadlock error
# ends: never
# says: functions registered with atexit run in the main thread
# frames: flush

import atexit
import threading

lock = threading.Lock()


@atexit.register
def flush():
    with lock:
        pass


if __name__ == "__main__":
    lock.acquire()
