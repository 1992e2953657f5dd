"""A task of a Pool leaves by os._exit(), beside a thread that ticks; its result never comes."""
# expect: worker-lost error
# may: fork-late warning
# within: 8

import multiprocessing
import os
import threading


class Monitor(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.stopped = threading.Event()

    def run(self):
        while not self.stopped.wait(0.5):
            pass


def check(number):
    if number == 3:
        os._exit(9)
    return number


def main():
    Monitor().start()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for number in pool.imap_unordered(check, range(8)):
            print(number)


if __name__ == "__main__":
    main()
