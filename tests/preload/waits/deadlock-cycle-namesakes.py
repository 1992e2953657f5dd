"""Two accounts have a lock each, which the program calls by one name: they are told apart, in what is waited for and in
what is held."""
# expect: deadlock-cycle error
# ends: never
# frames: transfer
# says: Lock \"target.lock\" of Account (0x
# pythons: all

import threading


class Account:
    def __init__(self):
        self.lock = threading.Lock()


def transfer(source, target, met):
    with source.lock:
        met.wait()
        with target.lock:
            print("moved")


def main():
    met = threading.Barrier(2)
    mine, yours = Account(), Account()
    threads = [threading.Thread(target=transfer, args=(*pair, met)) for pair in ((mine, yours), (yours, mine))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
