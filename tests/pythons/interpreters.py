"""Two threads of an interpreter of its own take two locks in both orders. test_pythons.py has what is said of them."""

import threading
from concurrent import interpreters

CODE = """
import threading

first, second = threading.Lock(), threading.Lock()
both = threading.Barrier(2)


def take(one, other):
    with one:
        both.wait()
        with other:
            pass


threading.Thread(target=take, args=(first, second), name="one").start()
take(second, first)
"""

if __name__ == "__main__":
    other = interpreters.create()
    worker = threading.Thread(target=other.exec, args=(CODE,), name="worker")
    worker.start()
    worker.join()
