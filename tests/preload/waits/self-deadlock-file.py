"""A file is locked under flock() by a function whose caller has it locked, through another descriptor."""
# expect: self-deadlock error
# ends: never
# frames: append rotate
# says: the process itself has that file locked, through another descriptor
# says: such a lock belongs to the open file, not to the process

import fcntl
import tempfile


def append(path):
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)


def rotate(path):
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        append(path)


if __name__ == "__main__":
    with tempfile.NamedTemporaryFile() as log:
        rotate(log.name)
