"""The main thread joins one that waits for the lock of the main thread, until SIGALRM ends the process."""
# expect: deadlock-cycle error
# says: SIGALRM ends the process in
# ends: never
# pythons: all

import signal
import threading

lock = threading.Lock()

if __name__ == "__main__":
    signal.alarm(4)
    with lock:
        other = threading.Thread(target=lock.acquire)
        other.start()
        other.join()
