"""The main thread has ended, and the interpreter joins a thread that waits for the lock of another one, which joins the
first. A daemon ticks."""
# expect: deadlock-cycle error
# ends: never
# frames: work stop
# not: beat
# pythons: all

import threading
import time

state = threading.Lock()
held = threading.Event()


def work():
    held.wait()
    with state:
        pass


def stop():
    with state:
        held.set()
        worker.join()


def beat():
    while True:
        sum(range(1000))
        time.sleep(0.05)


if __name__ == "__main__":
    threading.Thread(target=beat, daemon=True).start()
    worker = threading.Thread(target=work)
    worker.start()
    threading.Thread(target=stop).start()
