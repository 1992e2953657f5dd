"""A watchdog waits with a limit for a sign of life, and the worker gives one each second."""
# expect: none

import threading
import time


def watch(alive, done):
    while not done.is_set():
        if not alive.wait(5):
            raise SystemExit("worker is stuck")
        alive.clear()


def main():
    alive, done = threading.Event(), threading.Event()
    dog = threading.Thread(target=watch, args=(alive, done))
    dog.start()
    for _ in range(6):
        time.sleep(1)
        alive.set()
    done.set()
    alive.set()
    dog.join()


main()
