"""The program is over, and concurrent.futures waits for a task that waits for an event which the program forgot."""
# expect: deadlock-cycle error
# ends: never
# frames: watch
# pythons: all

import concurrent.futures
import threading


def watch(changed):
    changed.wait()


if __name__ == "__main__":
    concurrent.futures.ThreadPoolExecutor(1).submit(watch, threading.Event())
