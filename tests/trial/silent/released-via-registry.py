"""A thread that sleeps releases a lock which it finds through gc, long after the main thread began to wait for it."""
# expect: none

import gc
import threading
import time


class Gate:
    def __init__(self):
        self.lock = threading.Lock()
        self.lock.acquire()


def open_gates():
    time.sleep(4)
    for gate in [thing for thing in gc.get_objects() if isinstance(thing, Gate)]:
        gate.lock.release()


def main():
    gate = Gate()
    threading.Thread(target=open_gates, daemon=True).start()
    gate.lock.acquire()
    print("open")


main()
