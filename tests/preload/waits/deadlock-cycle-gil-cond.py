"""A thread keeps the GIL while it waits, inside a library, for an answer. The thread that would answer needs the
GIL to go on: neither has a lock that the other one asks for by name."""
# expect: deadlock-cycle error
# ends: never
# frames: ask answer native_ask
# says: GIL
# pythons: all

import ctypes
import os
import pathlib
import threading

LIBRARY = pathlib.Path(os.environ.get("BUILD", "build")).resolve() / "tests/preload/lib/native.so"
library, keeping_gil = ctypes.CDLL(str(LIBRARY)), ctypes.PyDLL(str(LIBRARY))


def ask():
    keeping_gil.native_ask()


def answer():
    library.native_until_inside()
    library.native_answer()


if __name__ == "__main__":
    assert library.native_init() == 0
    helper = threading.Thread(target=answer)
    helper.start()
    ask()
    helper.join()
