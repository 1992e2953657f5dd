"""A semaphore as a signal: a thread waits with limits for a permit that comes after five seconds."""
# expect: none

import threading
import time


def signal_late(arrived):
    time.sleep(5)
    arrived.release()


def main():
    arrived = threading.Semaphore(0)
    threading.Thread(target=signal_late, args=(arrived,)).start()
    while not arrived.acquire(timeout=1):
        pass
    print("arrived")


main()
