"""A library keeps the GIL over a long nap while all other threads wait for it; then it keeps the GIL while it waits for
its own mutex, which a thread without the GIL gives back in the end."""
# expect: none
# pythons: all

import ctypes
import os
import pathlib
import threading
import time

LIBRARY = pathlib.Path(os.environ.get("BUILD", "build")).resolve() / "tests/preload/lib/native.so"
library, keeping_gil = ctypes.CDLL(str(LIBRARY)), ctypes.PyDLL(str(LIBRARY))
stop = threading.Event()


def count():
    while not stop.is_set():
        time.sleep(0.001)


if __name__ == "__main__":
    assert library.native_init() == 0
    threads = [threading.Thread(target=count) for _ in range(2)]
    threads.append(threading.Thread(target=library.native_keep, args=(4400,)))
    for thread in threads:
        thread.start()
    keeping_gil.native_nap(2200)
    library.native_until_inside()
    keeping_gil.native_add()
    stop.set()
    for thread in threads:
        thread.join()
    print("the GIL came back", flush=True)
