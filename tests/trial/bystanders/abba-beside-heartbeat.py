"""A transfer takes the locks of two accounts in the order of its arguments, twice at once; a heartbeat waits with a limit, again and
again."""
# expect: deadlock-cycle error
# within: 8

import threading


class Account:
    def __init__(self, balance):
        self.lock, self.balance = threading.RLock(), balance


def transfer(source, target, met):
    with source.lock:
        met.wait()
        with target.lock:
            source.balance, target.balance = source.balance - 1, target.balance + 1


def heart(stop):
    while not stop.wait(0.3):
        pass


def main():
    threading.Thread(target=heart, args=(threading.Event(),), name="heartbeat", daemon=True).start()
    one, two, met = Account(5), Account(5), threading.Barrier(2)
    threads = [threading.Thread(target=transfer, args=pair) for pair in ((one, two, met), (two, one, met))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
