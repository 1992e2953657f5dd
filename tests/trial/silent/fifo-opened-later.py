"""A program opens a FIFO for writing; the reader is busy for some seconds before it opens the other end."""
# expect: none
# options: --hang-after 2

import multiprocessing
import os
import tempfile
import time


def read(path):
    until = time.monotonic() + 6
    while time.monotonic() < until:
        sum(range(10_000))
    with open(path) as fifo:
        fifo.read()


def main():
    with tempfile.TemporaryDirectory() as place:
        path = f"{place}/requests"
        os.mkfifo(path)
        reader = multiprocessing.Process(target=read, args=(path,))
        reader.start()
        with open(path, "w") as fifo:
            print("hello", file=fifo)
        reader.join()


if __name__ == "__main__":
    main()
