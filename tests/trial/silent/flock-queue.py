"""Three processes take turns at a flock, two seconds each."""
# expect: none

import fcntl
import multiprocessing
import tempfile
import time


def take_turn(path):
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        time.sleep(2)


def main():
    context = multiprocessing.get_context("fork")
    with tempfile.NamedTemporaryFile() as shared:
        children = [context.Process(target=take_turn, args=(shared.name,)) for _ in range(3)]
        for child in children:
            child.start()
        for child in children:
            child.join()


if __name__ == "__main__":
    main()
