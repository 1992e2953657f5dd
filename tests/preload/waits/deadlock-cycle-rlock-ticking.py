"""A lock and an RLock in opposite orders, each for the first time, beside a thread that ticks. The RLock is taken by
acquire(), as logging does."""
# expect: deadlock-cycle error
# ends: never
# frames: emit flush
# not: beat
# pythons: all

import threading
import time

handler, buffer = threading.RLock(), threading.Lock()
both_have_one = threading.Barrier(2)


def emit():
    handler.acquire()
    try:
        both_have_one.wait()
        with buffer:
            pass
    finally:
        handler.release()


def flush():
    with buffer:
        both_have_one.wait()
        handler.acquire()
        handler.release()


def beat():
    while True:
        sum(range(1000))
        time.sleep(0.05)


if __name__ == "__main__":
    threading.Thread(target=beat, daemon=True).start()
    threading.Thread(target=emit).start()
    flush()
