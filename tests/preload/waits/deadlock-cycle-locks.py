"""Two locks taken in opposite orders by two threads, which used both of them before; the main thread joins."""
# expect: deadlock-cycle error
# ends: never
# frames: debit audit
# pythons: all

import threading

accounts, journal = threading.Lock(), threading.Lock()
both_have_one = threading.Barrier(2)


def use(lock):
    with lock:
        pass


def take_both(first, second):
    for lock in (first, second, first, second):
        use(lock)
    both_have_one.wait()  # nobody keeps a lock that the other one still tries out
    with first:
        both_have_one.wait()
        with second:
            pass


def debit():
    take_both(accounts, journal)


def audit():
    take_both(journal, accounts)


if __name__ == "__main__":
    threads = [threading.Thread(target=body) for body in (debit, audit)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
