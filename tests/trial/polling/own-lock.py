"""A thread tries with a limit, again and again, to take the lock that it holds."""
# expect: self-deadlock error
# within: 10

import threading

lock = threading.Lock()


def update(value):
    while not lock.acquire(timeout=0.5):
        pass
    try:
        print(value)
    finally:
        lock.release()


def main():
    with lock:
        update(1)


main()
