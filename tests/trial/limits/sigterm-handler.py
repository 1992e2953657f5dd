"""A service handles SIGTERM, and its main thread waits for a lock that it holds."""
# expect: self-deadlock error
# limit: SIGTERM.*sigterm-handler\.py:10
# within: 8

import signal
import threading


def stop(number, frame):
    raise SystemExit(0)


def main():
    signal.signal(signal.SIGTERM, stop)
    lock = threading.Lock()
    with lock, lock:
        print("never")


main()
