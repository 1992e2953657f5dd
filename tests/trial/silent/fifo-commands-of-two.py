"""Two daemons of one job, each with a FIFO of commands that it keeps open for writing, so that no end of file comes."""
# expect: none
# options: --hang-after 2
# stop: SIGINT 6

import multiprocessing
import os
import signal
import tempfile


def serve(path):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fifo = os.open(path, os.O_RDWR)
    while os.read(fifo, 100):
        pass


def main():
    with tempfile.TemporaryDirectory() as place:
        for name in "ab":
            os.mkfifo(f"{place}/{name}")
        multiprocessing.Process(target=serve, args=(f"{place}/a",), daemon=True).start()
        serve(f"{place}/b")


if __name__ == "__main__":
    main()
