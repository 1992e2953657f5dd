"""As self-deadlock-except.py, but what the exception says may not be told."""
# expect: self-deadlock error
# ends: never
# options: --exceptions type
# says: while handling ValueError raised at load (self-deadlock-except-type.py:
# pythons: all

import threading

lock = threading.Lock()


def report():
    with lock:
        pass


def load():
    raise ValueError("no " + "such batch")


def main():
    with lock:
        try:
            load()
        except ValueError:
            report()


main()
