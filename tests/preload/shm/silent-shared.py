"""Shared memory is handed to a child by its name, by fork and by spawn; the parent removes it when both are done."""
# expect: none
# silent: shm-foreign-unlink shm-leaked
# pythons: all

import multiprocessing
from multiprocessing import shared_memory


def add_one(name):
    memory = shared_memory.SharedMemory(name)
    memory.buf[0] += 1
    memory.close()


if __name__ == "__main__":
    memory = shared_memory.SharedMemory(create=True, size=1 << 20)
    for method in ("fork", "spawn"):
        child = multiprocessing.get_context(method).Process(target=add_one, args=(memory.name,))
        child.start()
        child.join()
    print(memory.buf[0])
    memory.close()
    memory.unlink()
