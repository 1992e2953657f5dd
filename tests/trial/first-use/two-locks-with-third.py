"""Two locks are taken for the first time, in opposite orders; a third thread sleeps."""
# expect: deadlock-cycle error
# within: 8

import threading
import time


def open_both(first, second, met):
    with first:
        met.wait()
        with second:
            print("open")


def main():
    left, right, met = threading.Lock(), threading.Lock(), threading.Barrier(2)
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    threading.Thread(target=open_both, args=(left, right, met), daemon=True).start()
    open_both(right, left, met)


main()
