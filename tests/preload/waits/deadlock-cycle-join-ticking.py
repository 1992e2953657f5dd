"""A thread is joined by the holder of the lock that it needs, beside a thread that ticks."""
# expect: deadlock-cycle error
# ends: never
# frames: stop work
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


def stop(worker):
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
    stop(worker)
