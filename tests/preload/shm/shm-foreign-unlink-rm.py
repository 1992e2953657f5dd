"""A cleaning job removes shared memory that is in use, and the next one that opens it finds nothing."""
# expect: shm-foreign-unlink error
# says: find the rm

import subprocess
from multiprocessing import resource_tracker, shared_memory


def main():
    memory = shared_memory.SharedMemory(create=True, size=4096)
    subprocess.run(["rm", f"/dev/shm/{memory.name}"], check=True)
    try:
        shared_memory.SharedMemory(name=memory.name).close()
    except FileNotFoundError:
        print("the name is gone")
    resource_tracker.unregister(memory._name, "shared_memory")
    memory.close()


if __name__ == "__main__":
    main()
