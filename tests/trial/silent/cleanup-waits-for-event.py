"""A `finally` waits for an event that a slow thread sets, then for one that the handler of SIGTERM sets; the error is printed after that."""
# expect: none
# options: --hang-after 3
# stop: SIGTERM 14

import queue
import signal
import threading
import time

drained, told = threading.Event(), threading.Event()


def drain():
    time.sleep(6)
    drained.set()
    queue.Queue().get()


def main():
    signal.signal(signal.SIGTERM, lambda number, frame: told.set())
    threading.Thread(target=drain, daemon=True).start()
    try:
        print(int("12a"))
    finally:
        drained.wait()
        told.wait()


if __name__ == "__main__":
    main()
