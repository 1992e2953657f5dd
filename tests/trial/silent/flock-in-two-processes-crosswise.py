"""Two lock files in opposite orders, but the second one is only tried; who fails gives way."""
# expect: none

import fcntl
import multiprocessing
import random
import tempfile
import time


def merge(first, second):
    for _ in range(5):
        with open(first) as one, open(second) as two:
            while True:
                fcntl.flock(one, fcntl.LOCK_EX)
                time.sleep(0.1)
                try:
                    fcntl.flock(two, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    fcntl.flock(one, fcntl.LOCK_UN)
                    time.sleep(random.random() / 3)


def main():
    context = multiprocessing.get_context("fork")
    with tempfile.NamedTemporaryFile() as left, tempfile.NamedTemporaryFile() as right:
        child = context.Process(target=merge, args=(left.name, right.name))
        child.start()
        merge(right.name, left.name)
        child.join()


if __name__ == "__main__":
    main()
