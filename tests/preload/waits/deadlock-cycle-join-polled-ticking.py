"""As deadlock-cycle-join-ticking.py, with a join that is tried again each half second."""
# expect: deadlock-cycle error
# ends: never
# frames: stop work
# not: beat
# options: --on-deadlock=kill-hopeless --hang-after 30

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
        while worker.is_alive():
            worker.join(0.5)


def beat():
    while True:
        sum(range(1000))
        time.sleep(0.05)


if __name__ == "__main__":
    threading.Thread(target=beat, daemon=True).start()
    worker = threading.Thread(target=work)
    worker.start()
    stop(worker)
