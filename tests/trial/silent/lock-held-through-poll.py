"""A thread polls a file under a lock, with naps, until it appears; the main thread, which waits for the lock, has a limit."""
# expect: none

import os
import tempfile
import threading
import time


def await_file(path, lock, begun):
    with lock:
        begun.set()
        while not os.path.exists(path):
            time.sleep(0.2)


def main():
    lock, begun = threading.Lock(), threading.Event()
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "flag")
        threading.Thread(target=await_file, args=(path, lock, begun)).start()
        begun.wait()
        threading.Timer(5, lambda: open(path, "w").close()).start()
        print(lock.acquire(timeout=30))


main()
