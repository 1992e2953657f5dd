"""A function that has locked its file calls another one, which opens the file and locks it, too: flock's lock is the open file's."""
# expect: self-deadlock error
# within: 9
# says: through another descriptor

import fcntl
import tempfile


def append(path, text):
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(text)


def rotate(path):
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        append(path, "rotated\n")


def main():
    with tempfile.NamedTemporaryFile() as log:
        append(log.name, "begin\n")
        rotate(log.name)


if __name__ == "__main__":
    main()
