"""The main thread reads from a pipe in C and keeps the GIL, for which the thread waits that is to write."""
# expect: deadlock-cycle error
# within: 8
# says: waits for the GIL, held by the main thread

import ctypes
import os
import threading
import time


def feed(end):
    time.sleep(0.3)
    os.write(end, b"x")


reader, writer = os.pipe()
threading.Thread(target=feed, args=(writer,)).start()
print(ctypes.PyDLL(None).read(reader, ctypes.create_string_buffer(1), 1))
