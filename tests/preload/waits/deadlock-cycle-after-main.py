"""The main module ends by an error, and the interpreter waits for a thread that nobody tells to stop."""
# expect: deadlock-cycle error
# ends: never
# frames: work
# says: after LookupError('no such batch') raised at main (deadlock-cycle-after-main.py:
# says: ended the main module
# pythons: all

import queue
import threading

jobs = queue.Queue()


def work():
    while jobs.get() is not None:
        pass


def main():
    threading.Thread(target=work, name="worker").start()
    jobs.put(1)
    raise LookupError("no such batch")


main()
