"""The main thread waits for a lock that another thread keeps, and that one for an Event. A program that was started
before sends a signal in the end, and the handler sets the Event."""
# expect: none

import os
import signal
import subprocess
import threading

lock, taken, come = threading.Lock(), threading.Event(), threading.Event()


def keep():
    with lock:
        taken.set()
        come.wait()


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, lambda number, frame: come.set())
    keeper = threading.Thread(target=keep)
    keeper.start()
    taken.wait()
    process = subprocess.Popen(["sh", "-c", f"sleep 2.2; kill -USR1 {os.getpid()}"])
    with lock:
        print("had the lock", flush=True)
    keeper.join()
    print("exit", process.wait())
