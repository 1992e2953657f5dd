"""A FIFO whose name is gone: the reader has its only write end open itself."""
# expect: deadlock-cycle error
# within: 8

import os
import tempfile


def main():
    place = tempfile.mkdtemp()
    path = os.path.join(place, "orders")
    os.mkfifo(path)
    fifo = os.open(path, os.O_RDWR)
    os.unlink(path)
    os.rmdir(place)
    print(os.read(fifo, 100))


main()
