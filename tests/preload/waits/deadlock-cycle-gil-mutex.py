"""Python's global interpreter lock against the mutex of a library: one thread has the mutex, inside the library,
and is called back, for which it needs the GIL; another one kept the GIL when it called the library and waits for
the mutex."""
# expect: deadlock-cycle error
# ends: never
# frames: visit_all add_entry native_visit native_add
# says: GIL
# pythons: all

import ctypes
import os
import pathlib
import threading

LIBRARY = pathlib.Path(os.environ.get("BUILD", "build")).resolve() / "tests/preload/lib/native.so"
library, keeping_gil = ctypes.CDLL(str(LIBRARY)), ctypes.PyDLL(str(LIBRARY))


@ctypes.CFUNCTYPE(None)
def each():
    pass


def visit_all():
    library.native_visit(each)


def add_entry():
    library.native_until_inside()
    keeping_gil.native_add()


if __name__ == "__main__":
    assert library.native_init() == 0
    threads = [threading.Thread(target=body) for body in (visit_all, add_entry)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
