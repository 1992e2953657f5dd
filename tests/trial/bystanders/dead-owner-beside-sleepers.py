"""A worker dies with a multiprocessing.Lock; the parent wants it, beside a ticking thread and a sibling that sleeps in steps."""
# expect: lock-owner-killed error
# may: worker-failed warning
# within: 8
# outside: nothing: who took it, and died

import multiprocessing
import os
import signal
import threading
import time


def take_and_die(lock, taken):
    with lock:
        taken.set()
        os.kill(os.getpid(), signal.SIGKILL)


def sleep_on():
    while True:
        time.sleep(0.3)


def main():
    context = multiprocessing.get_context("fork")
    lock, taken = context.Lock(), context.Event()
    context.Process(target=sleep_on, daemon=True).start()
    victim = context.Process(target=take_and_die, args=(lock, taken))
    victim.start()
    victim.join()
    threading.Thread(target=sleep_on, name="ticker", daemon=True).start()
    with lock:
        print("not reached")


if __name__ == "__main__":
    main()
