"""A program with one thread waits for a lock that it holds, with a limit of six seconds."""
# expect: self-deadlock error
# says: the wait cannot succeed, and gives up after 6 s
# frames: read load
# pythons: all
# prints: False

import threading

lock = threading.Lock()


def read(limit):
    return lock.acquire(timeout=limit)


def load():
    with lock:
        return read(6)


if __name__ == "__main__":
    print(load())
