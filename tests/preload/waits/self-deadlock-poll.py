"""A program with one thread tries each 300 ms to take a lock that it holds, fifteen times."""
# expect: self-deadlock error
# says: cannot succeed, and has been repeated for
# frames: update main
# pythons: all

import threading

lock = threading.Lock()


def update():
    return any([lock.acquire(timeout=0.3) for _ in range(15)])


def main():
    with lock:
        print(update())


if __name__ == "__main__":
    main()
