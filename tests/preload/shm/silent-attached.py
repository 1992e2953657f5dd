"""SharedMemory and mp.Array between processes that know each other: who made the memory removes it, once."""
# expect: none
# silent: shm-leaked shm-foreign-unlink shm-unsynchronized
# pythons: all

import multiprocessing
from multiprocessing import shared_memory


def fill(name, array, rank):
    memory = shared_memory.SharedMemory(name=name)
    memory.buf[rank] = rank + 1
    memory.close()
    with array.get_lock():
        array[0] += rank


def main(method):
    context = multiprocessing.get_context(method)
    memory = shared_memory.SharedMemory(create=True, size=4096)
    array = context.Array("l", 1000)
    processes = [context.Process(target=fill, args=(memory.name, array, rank)) for rank in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print(method, bytes(memory.buf[:3]), array[0])
    memory.close()
    memory.unlink()


if __name__ == "__main__":
    for name in ("fork", "spawn", "forkserver"):
        main(name)
