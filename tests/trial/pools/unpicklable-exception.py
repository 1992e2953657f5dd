"""A task's exception cannot be built again in the parent: the pool's thread for results fails, and map() waits for ever."""
# expect: deadlock-cycle error
# within: 9

import multiprocessing
import threading


class DecodeError(Exception):
    def __init__(self, path, reason):
        super().__init__(f"{path}: {reason}")


def decode(path):
    raise DecodeError(path, "truncated")


def main():
    threading.excepthook = lambda args: None
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(decode, ["a.png", "b.png"]))


if __name__ == "__main__":
    main()
