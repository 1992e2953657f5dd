"""As two-locks-with-third, with acquire() and finally instead of with."""
# expect: deadlock-cycle error
# within: 8

import threading
import time


def swap(mine, yours, met):
    mine.acquire()
    try:
        met.wait()
        yours.acquire()
        try:
            print("swapped")
        finally:
            yours.release()
    finally:
        mine.release()


def main():
    one, two, met = threading.Lock(), threading.Lock(), threading.Barrier(2)
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    threading.Thread(target=swap, args=(one, two, met), daemon=True).start()
    swap(two, one, met)


main()
