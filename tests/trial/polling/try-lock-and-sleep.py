"""Each of two threads tries the other's lock without blocking, and never gives its own back meanwhile."""
# expect: deadlock-cycle error
# options: --hang-after 30
# within: 20
# outside: nothing: how often it asked, and when its limit began

import threading
import time


def pull(mine, yours, met):
    with mine:
        met.wait()
        while not yours.acquire(blocking=False):
            time.sleep(0.2)
        yours.release()


def main():
    one, two, met = threading.Lock(), threading.Lock(), threading.Barrier(2)
    threading.Thread(target=pull, args=(one, two, met), daemon=True).start()
    pull(two, one, met)


main()
