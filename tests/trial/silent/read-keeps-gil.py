"""The main thread reads from a pipe in C and keeps the GIL, for which another thread waits; a child writes in the end."""
# expect: none
# options: --hang-after 5

import ctypes
import os
import threading
import time


def count():
    for _ in range(10):
        time.sleep(0.1)


reader, writer = os.pipe()
if os.fork() == 0:
    time.sleep(12)
    os.write(writer, b"x")
    os._exit(0)
thread = threading.Thread(target=count)
thread.start()
print(ctypes.PyDLL(None).read(reader, ctypes.create_string_buffer(1), 1))
thread.join()
os.wait()
