"""A program with one thread waits for a lock that it holds, with a limit of three seconds."""
# expect: self-deadlock error
# says: the wait cannot succeed, and gives up after 3 s
# frames: read load
# pythons: all

import threading

lock = threading.Lock()


def read(limit):
    return lock.acquire(timeout=limit)


def load():
    with lock:
        return read(3)


if __name__ == "__main__":
    print(load())
