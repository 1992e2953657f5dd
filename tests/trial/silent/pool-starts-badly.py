"""The first workers of a Pool fail at their start, as a file that they need comes late; the others do the work."""
# expect: none

import multiprocessing
import os
import sys
import tempfile


def load(directory):
    with open(os.path.join(directory, "starts"), "ab", buffering=0) as starts:
        starts.write(b"x")
        if starts.tell() <= 2:
            sys.exit(1)


def main():
    with tempfile.TemporaryDirectory() as directory, \
            multiprocessing.get_context("fork").Pool(1, initializer=load, initargs=(directory,)) as pool:
        print(pool.map(abs, range(-3, 0), chunksize=1))


if __name__ == "__main__":
    main()
