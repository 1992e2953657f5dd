"""The thread that was to notify failed; the only other one that lives has no reference to the condition."""
# expect: deadlock-cycle error
# within: 8

import threading
import time


def load(ready):
    data = {}
    with ready:
        data["model"].append(1)
        ready.notify()


def tick(count):
    while True:
        count += 1
        time.sleep(0.25)


def main():
    threading.excepthook = lambda args: None
    ready = threading.Condition()
    with ready:
        threading.Thread(target=load, args=(ready,), name="loader").start()
        threading.Thread(target=tick, args=(0,), name="ticker", daemon=True).start()
        ready.wait()


main()
