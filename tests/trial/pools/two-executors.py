"""Two executors of one thread each wait for tasks of each other."""
# expect: deadlock-cycle error
# within: 8

import threading
from concurrent.futures import ThreadPoolExecutor


def ask(other, met):
    met.wait()
    return other.submit(len, "abc").result()


def main():
    left, right, met = ThreadPoolExecutor(1), ThreadPoolExecutor(1), threading.Barrier(2)
    answers = [left.submit(ask, right, met), right.submit(ask, left, met)]
    print([answer.result() for answer in answers])


main()
