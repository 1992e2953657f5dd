"""An unrelated Python attaches to shared memory and ends; its resource tracker removes the name behind it."""
# expect: shm-foreign-unlink error
# may: shm-foreign-unlink warning
# says: resource_tracker

import subprocess
import sys
from multiprocessing import resource_tracker, shared_memory

ATTACH = """
import sys
from multiprocessing import shared_memory
shared_memory.SharedMemory(name=sys.argv[1]).close()
"""


def main():
    memory = shared_memory.SharedMemory(create=True, size=4096)
    # Its standard error ends with its tracker, which has it open, too.
    subprocess.run([sys.executable, "-c", ATTACH, memory.name], stderr=subprocess.PIPE, check=True)
    try:
        shared_memory.SharedMemory(name=memory.name).close()
        print("still there")
    except FileNotFoundError:
        print("the name is gone")
    resource_tracker.unregister(memory._name, "shared_memory")
    memory.close()


if __name__ == "__main__":
    main()
