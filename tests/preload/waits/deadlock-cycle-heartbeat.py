"""As deadlock-cycle-locks.py, while a third thread goes on working and sleeping for ever: it uses other locks, and it has used
these two before."""
# expect: deadlock-cycle error
# ends: never
# frames: debit audit
# not: beat
# pythons: all

import threading
import time

accounts, journal, pulse = threading.Lock(), threading.Lock(), threading.Lock()
warm = threading.Barrier(3)
both_have_one = threading.Barrier(2)


def use(*locks):
    for lock in locks:
        with lock:
            pass


def take_both(first, second):
    use(first, second, first, second)
    warm.wait()
    with first:
        both_have_one.wait()
        with second:
            pass


def debit():
    take_both(accounts, journal)


def audit():
    take_both(journal, accounts)


def beat():
    use(accounts, journal)
    warm.wait()
    while True:
        use(pulse)
        sum(range(1000))
        time.sleep(0.02)


if __name__ == "__main__":
    threads = [threading.Thread(target=body) for body in (debit, audit)]
    threading.Thread(target=beat, daemon=True).start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
