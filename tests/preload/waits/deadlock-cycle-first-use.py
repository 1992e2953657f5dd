"""As deadlock-cycle-locks.py with locks that nobody has used before: each is taken for the first time, and not yet given back."""
# expect: deadlock-cycle error
# ends: never
# frames: debit audit
# pythons: all

import threading

accounts, journal = threading.Lock(), threading.Lock()
both_have_one = threading.Barrier(2)


def debit():
    with accounts:
        both_have_one.wait()
        with journal:
            pass


def audit():
    with journal:
        both_have_one.wait()
        with accounts:
            pass


if __name__ == "__main__":
    threads = [threading.Thread(target=body) for body in (debit, audit)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
