"""open() of a FIFO blocks until its writer comes, after four seconds."""
# expect: none

import os
import tempfile
import threading
import time


def write_late(path):
    time.sleep(4)
    with open(path, "w") as fifo:
        fifo.write("hello")


def main():
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "fifo")
        os.mkfifo(path)
        writer = threading.Thread(target=write_late, args=(path,))
        writer.start()
        with open(path) as fifo:
            print(fifo.read())
        writer.join()


main()
