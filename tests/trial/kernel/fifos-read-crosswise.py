"""Two processes with a FIFO in each direction: each reads first, and neither has its own one open for writing."""
# expect: hang warning
# within: 7
# options: --hang-after 3
# says: fifo/b.*fifo/a
# outside: nothing: that it lasts for longer than --hang-after

import multiprocessing
import os
import tempfile


def talk(source, target):
    target.write(source.read(1))


def answer(place):
    with open(f"{place}/b", "wb", buffering=0) as target, open(f"{place}/a", "rb", buffering=0) as source:
        talk(source, target)


def main():
    with tempfile.TemporaryDirectory(suffix="fifo") as place:
        for name in "ab":
            os.mkfifo(f"{place}/{name}")
        peer = multiprocessing.Process(target=answer, args=(place,))
        peer.start()
        with open(f"{place}/b", "rb", buffering=0) as source, open(f"{place}/a", "wb", buffering=0) as target:
            talk(source, target)
        peer.join()


if __name__ == "__main__":
    main()
