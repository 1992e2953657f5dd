"""A thread sleeps under a lock in a with block; another one waits for it for five seconds."""
# expect: none

import threading
import time


def rest(lock, resting):
    with lock:
        resting.set()
        time.sleep(5)


def main():
    lock, resting = threading.Lock(), threading.Event()
    threading.Thread(target=rest, args=(lock, resting)).start()
    resting.wait()
    with lock:
        print("rested")


main()
