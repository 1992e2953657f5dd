"""A worker of a Pool is killed with its task, beside a thread that ticks and a Timer that starts itself again."""
# expect: worker-lost error
# may: worker-failed warning
# pythons: all

import multiprocessing
import os
import signal
import threading
import time


def end(_):
    os.kill(os.getpid(), signal.SIGKILL)


def tick():
    while True:
        time.sleep(0.1)


def again():
    timer = threading.Timer(0.3, again)
    timer.daemon = True
    timer.start()


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        threading.Thread(target=tick, daemon=True).start()
        again()
        try:
            pool.apply_async(end, (1,)).get(timeout=4)
        except multiprocessing.TimeoutError:
            print("no result", flush=True)
