"""As deadlock-cycle-first-use.py, while a third thread goes on working and sleeping for ever. It knows none of the locks; one
of the two holders is a few calls deeper, within try blocks, when it waits."""
# expect: deadlock-cycle error
# ends: never
# frames: debit audit write
# not: beat
# pythons: all

import threading
import time

accounts, journal = threading.Lock(), threading.Lock()
both_have_one = threading.Barrier(2)


def write():
    try:
        with journal:
            pass
    except ValueError:
        pass


def debit():
    for item in ("a", "b"):
        with open("/dev/null") as _, accounts:
            try:
                both_have_one.wait()
                write()
            finally:
                item.upper()


def audit():
    with journal:
        both_have_one.wait()
        with accounts:
            pass


def beat():
    while True:
        sum(range(1000))
        time.sleep(0.05)


if __name__ == "__main__":
    threading.Thread(target=beat, daemon=True).start()
    threads = [threading.Thread(target=body) for body in (debit, audit)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
