"""A thread of another interpreter waits for a mutex, and has that interpreter's GIL; who holds the mutex waits for the GIL of the
main one, which a third thread keeps for a while."""
# expect: none

import ctypes
import sys
import threading
import time

try:
    import _interpreters as interpreters
except ImportError:  # up to 3.12
    sys.exit(0)

CODE = """
import ctypes

library = ctypes.PyDLL(None)
library.pthread_mutex_lock(ctypes.c_void_p(address))
library.pthread_mutex_unlock(ctypes.c_void_p(address))
"""

library = ctypes.PyDLL(None)
mutex = ctypes.create_string_buffer(64)
taken, kept = threading.Event(), threading.Event()
here = ctypes.c_void_p(ctypes.addressof(mutex))


def hold():
    library.pthread_mutex_lock(here)
    taken.set()
    kept.wait()
    time.sleep(0.1)  # comes back when the GIL is taken
    library.pthread_mutex_unlock(here)


def keep():
    kept.set()
    library.sleep(3)


def main():
    holder = threading.Thread(target=hold)
    holder.start()
    taken.wait()
    code = f"address = {ctypes.addressof(mutex)}\n{CODE}"
    other = threading.Thread(target=interpreters.exec, args=(interpreters.create("isolated"), code))
    other.start()
    time.sleep(0.5)
    keeper = threading.Thread(target=keep)
    keeper.start()
    for thread in (keeper, holder, other):
        thread.join()


main()
