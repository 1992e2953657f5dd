"""The owner of a lock sleeps with growing pauses, waits with a limit, and for the owner of another lock that sleeps."""
# expect: none
# options: --hang-after 2

import threading
import time

PAUSES = (0.1, 0.1, 0.1, 6)


def back_off():
    for pause in PAUSES:
        time.sleep(pause)


def hold(lock, work):
    begun = threading.Event()

    def run():
        with lock:
            begun.set()
            work()

    threading.Thread(target=run).start()
    begun.wait()


def take(lock):
    with lock:
        pass


def main():
    first, second = threading.Lock(), threading.Lock()
    hold(first, back_off)
    hold(second, lambda: take(first))
    take(second)
    hold(first, lambda: threading.Event().wait(6))
    take(first)


main()
