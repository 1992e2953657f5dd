"""A program that is not multiprocessing's child opens shared memory of another and ends: its own resource tracker removes
the name, and the next one that comes finds nothing."""
# expect: shm-foreign-unlink error
# says: the resource tracker

import os
import subprocess
import sys
from multiprocessing import resource_tracker, shared_memory

VISITOR = """
import sys
from multiprocessing import shared_memory
memory = shared_memory.SharedMemory(sys.argv[1])
print(memory.buf[0])
memory.close()
"""


def come_later(name):
    while os.path.exists(f"/dev/shm/{name}"):  # its tracker ends after the visitor
        os.sched_yield()
    try:
        shared_memory.SharedMemory(name)
    except FileNotFoundError:
        print("nothing there")


if __name__ == "__main__":
    memory = shared_memory.SharedMemory(create=True, size=4096)
    memory.buf[0] = 7
    subprocess.run([sys.executable, "-c", VISITOR, memory.name], check=True, stderr=subprocess.DEVNULL)
    come_later(memory.name)
    resource_tracker.unregister(memory._name, "shared_memory")
    memory.close()
