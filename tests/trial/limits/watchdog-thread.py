"""A thread takes its own lock twice, beside a Timer that ends the process after 14 seconds, as pytest-timeout does."""
# expect: self-deadlock error
# within: 8

import os
import threading

totals_lock = threading.Lock()
totals = {}


def add(name):
    with totals_lock:
        totals[name] = totals.get(name, 0) + 1
        if totals[name] == 1:
            publish()


def publish():
    with totals_lock:
        print(totals)


if __name__ == "__main__":
    threading.Timer(14, os._exit, (1,)).start()
    add("first")
