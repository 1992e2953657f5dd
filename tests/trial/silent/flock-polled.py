"""A lock file tried without blocking each 300 ms, as the filelock package does it; its owner works for five seconds."""
# expect: none

import fcntl
import multiprocessing
import tempfile
import time


def work(path, has_lock):
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        has_lock.set()
        time.sleep(5)


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
                    time.sleep(0.3)
        child.join()


if __name__ == "__main__":
    main()
