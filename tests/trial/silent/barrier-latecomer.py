"""A Barrier with a limit of 20 seconds, to which one party comes after five."""
# expect: none

import threading
import time


def come(barrier, seconds):
    time.sleep(seconds)
    barrier.wait(20)


def main():
    barrier = threading.Barrier(3)
    threads = [threading.Thread(target=come, args=(barrier, seconds)) for seconds in (0, 1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
