"""A thread enters a lock that it holds, both times by `with`, once through a Condition around the lock, while another
thread of the process works and sleeps for ever."""
# expect: self-deadlock error
# ends: never
# frames: refresh reload
# not: beat
# says: taken at reload
# pythons: all

import threading
import time

lock = threading.Lock()
changed = threading.Condition(lock)


def refresh():
    with lock:
        print("never reached")


def reload():
    with changed:
        try:
            refresh()
        finally:
            changed.notify_all()


def beat():
    while True:
        sum(range(1000))
        time.sleep(0.05)


if __name__ == "__main__":
    threading.Thread(target=beat, daemon=True).start()
    reload()
