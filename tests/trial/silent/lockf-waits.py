"""A record lock that another process keeps for five seconds."""
# expect: none

import fcntl
import multiprocessing
import tempfile
import time


def keep(path, has_lock):
    with open(path, "r+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        has_lock.set()
        time.sleep(5)


def main():
    context = multiprocessing.get_context("fork")
    has_lock = context.Event()
    with tempfile.NamedTemporaryFile() as shared:
        child = context.Process(target=keep, args=(shared.name, has_lock))
        child.start()
        has_lock.wait()
        with open(shared.name, "r+") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)
        child.join()


if __name__ == "__main__":
    main()
