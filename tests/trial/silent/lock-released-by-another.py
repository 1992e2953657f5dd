"""A Lock as a hand-over: the main thread has taken it, waits for it again with a limit, and a thread that sleeps gives it back."""
# expect: none

import threading
import time


def give_back(lock):
    time.sleep(5)
    lock.release()


def main():
    lock = threading.Lock()
    lock.acquire()
    threading.Thread(target=give_back, args=(lock,)).start()
    print(lock.acquire(timeout=20))


main()
