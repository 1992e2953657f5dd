"""Who made shared memory removes its name from within the folder, in two ways, while another process waits for that."""
# expect: none
# silent: shm-foreign-unlink shm-leaked

import multiprocessing
import os
from multiprocessing import resource_tracker, shared_memory

CONTEXT = multiprocessing.get_context("fork")


def wait_for_end(name, seen):
    while True:
        try:
            shared_memory.SharedMemory(name=name).close()
        except FileNotFoundError:
            return
        seen.set()


def by_name(name):
    os.chdir("/dev/shm")
    os.unlink(name)
    os.chdir("/")


def by_descriptor(name):
    folder = os.open("/dev/shm", os.O_RDONLY)
    os.unlink(name, dir_fd=folder)
    os.close(folder)


if __name__ == "__main__":
    resource_tracker.ensure_running()
    for number, remove in enumerate((by_name, by_descriptor)):
        memory = shared_memory.SharedMemory(f"mpsan-test-relative-{number}-{os.getpid()}", create=True, size=4096)
        seen = CONTEXT.Event()
        waiter = CONTEXT.Process(target=wait_for_end, args=(memory.name, seen))
        waiter.start()
        seen.wait()
        remove(memory.name)
        waiter.join()
        resource_tracker.unregister(memory._name, "shared_memory")
        memory.close()
        print(remove.__name__)
