"""Who handles an error wants the lock under which it was raised; the error before it led there."""
# expect: self-deadlock error
# ends: never
# frames: report
# says: while handling ValueError('no such batch') raised at load (self-deadlock-except.py:
# says: "how": "context"
# pythons: all

import threading

lock = threading.Lock()


def report():
    with lock:
        pass


def load(batches):
    try:
        return batches[7]
    except KeyError:
        raise ValueError("no such batch")


def main():
    with lock:
        try:
            load({})
        except ValueError:
            report()


main()
