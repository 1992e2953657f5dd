"""A file lock is tried each 100 ms for longer than --hang-after, while its owner works."""
# expect: none
# options: --hang-after 4

import fcntl
import multiprocessing
import tempfile
import time


def work(path, has_lock):
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        has_lock.set()
        for _ in range(80):
            sum(range(100000))
            time.sleep(0.1)


def main():
    context = multiprocessing.get_context("fork")
    has_lock = context.Event()
    with tempfile.NamedTemporaryFile() as shared:
        child = context.Process(target=work, args=(shared.name, has_lock))
        child.start()
        has_lock.wait()
        with open(shared.name) as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(0.1)
        child.join()


if __name__ == "__main__":
    main()
