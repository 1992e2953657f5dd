"""A signal handler takes a lock that another thread holds for a while, in a `with` block that ends."""
# expect: none

import os
import signal
import threading
import time

lock = threading.Lock()
held = threading.Event()


def on_signal(number, frame):
    with lock:
        print("had it")


def hold():
    with lock:
        held.set()
        time.sleep(1.6)


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, on_signal)
    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    os.kill(os.getpid(), signal.SIGUSR1)
    thread.join()
