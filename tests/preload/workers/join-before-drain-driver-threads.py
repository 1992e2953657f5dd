"""A parent with the device joins a worker that has not yet sent all: it drains the queue afterwards."""
# expect: join-before-drain error
# ends: never
# fake: cuda 1 THREADS=100

import multiprocessing

from cuda_calls import Runtime


def work(queue):
    queue.put(bytes(1 << 20))


if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    Runtime().allocate(4096)
    queue = spawn.Queue()
    worker = spawn.Process(target=work, args=(queue,))
    worker.start()
    worker.join()
    print(len(queue.get()))
