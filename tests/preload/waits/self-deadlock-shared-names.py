"""A worker takes a Lock of multiprocessing twice, which is an item of an attribute of its object."""
# expect: self-deadlock error
# ends: never
# frames: transfer
# says: for Lock \"self.accounts['alice']\" of Bank, made at Bank.__init__ (self-deadlock-shared-names.py:17) (number 1 of 2), which it already holds
# pythons: all

import multiprocessing

context = multiprocessing.get_context("fork")


class Bank:
    def __init__(self):
        self.accounts = {}
        for name in ("alice", "bob"):
            self.accounts[name] = context.Lock()

    def transfer(self, one, other):
        with self.accounts[one]:
            with self.accounts[other]:
                pass


if __name__ == "__main__":
    worker = context.Process(target=Bank().transfer, args=("alice", "alice"))
    worker.start()
    worker.join()
