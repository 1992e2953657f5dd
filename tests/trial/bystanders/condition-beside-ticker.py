"""The thread that was to notify failed; the only other one that lives ticks, and has no reference to the condition."""
# expect: hang warning
# options: --hang-after 4
# says: a notify of a Condition; what could still end it: thread "ticker"
# within: 9
# outside: nothing: that it lasts for longer than --hang-after

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
