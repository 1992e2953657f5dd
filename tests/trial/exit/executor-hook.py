"""The main thread ends, and the hook of concurrent.futures joins a worker whose task waits for an event that the program forgot."""
# expect: deadlock-cycle error
# within: 8

import threading
from concurrent.futures import ThreadPoolExecutor


def watch(changed):
    changed.wait()


def main():
    ThreadPoolExecutor(1).submit(watch, threading.Event())


main()
