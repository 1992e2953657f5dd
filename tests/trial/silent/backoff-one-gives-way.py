"""A lock is tried for 0.8 seconds while its owner wants ours; then we give way, and both go on: a conflict that ends by design."""
# expect: none

import threading


def patient(mine, yours, met):
    with mine:
        met.wait()
        with yours:
            print("patient has both")


def main():
    one, two, met = threading.Lock(), threading.Lock(), threading.Barrier(2)
    thread = threading.Thread(target=patient, args=(one, two, met))
    thread.start()
    with two:
        met.wait()
        print("impatient:", one.acquire(timeout=0.8))
    thread.join()


main()
