"""Two processes lock two files with flock, in opposite orders."""
# expect: deadlock-cycle error
# within: 9

import fcntl
import multiprocessing
import tempfile


def merge(first, second, met):
    with open(first) as one, open(second) as two:
        fcntl.flock(one, fcntl.LOCK_EX)
        met.wait()
        fcntl.flock(two, fcntl.LOCK_EX)
        print("merged")


def main():
    context = multiprocessing.get_context("fork")
    met = context.Barrier(2)
    with tempfile.NamedTemporaryFile() as left, tempfile.NamedTemporaryFile() as right:
        child = context.Process(target=merge, args=(left.name, right.name, met))
        child.start()
        merge(right.name, left.name, met)
        child.join()


if __name__ == "__main__":
    main()
