"""A handler of SIGTERM takes the lock of the `with` block that it interrupted. A thread that ticks, and another signal with a
handler, change nothing about it."""
# expect: self-deadlock error
# ends: never
# says: take no lock in a signal handler: let it set a flag, or put into a queue.SimpleQueue
# frames: stop update
# says: in the handler of SIGTERM for Lock
# says: taken at update (self-deadlock-handler.py:
# says: SIGUSR1, handled at <lambda> (
# not: beat
# pythons: all

import os
import signal
import threading
import time

lock = threading.Lock()


def stop(number, frame):
    with lock:
        raise SystemExit


def update():
    with lock:
        os.kill(os.getpid(), signal.SIGTERM)
        while True:
            pass


def beat():
    while True:
        time.sleep(0.05)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGUSR1, lambda number, frame: None)
    threading.Thread(target=beat, daemon=True).start()
    update()
