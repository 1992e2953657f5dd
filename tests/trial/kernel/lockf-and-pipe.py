"""The child has a record lock and waits for its parent's answer; the parent wants that lock before it answers."""
# expect: deadlock-cycle error
# within: 9

import fcntl
import multiprocessing
import tempfile


def ask(path, connection):
    with open(path, "r+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        connection.send("may I?")
        connection.recv()


def main():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    with tempfile.NamedTemporaryFile() as shared:
        child = context.Process(target=ask, args=(shared.name, there))
        child.start()
        there.close()
        here.recv()
        with open(shared.name, "r+") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)
            here.send("yes")
        child.join()


if __name__ == "__main__":
    main()
