"""The cure: the same under spawn."""
# expect: none
# silent: cuda-before-fork cuda-in-forked-child cuda-stale-query
# fake: cuda

import multiprocessing

from cuda_calls import Runtime


def train():
    runtime = Runtime()
    memory = runtime.allocate(4096)
    runtime.write(memory, b"x" * 4096)
    assert runtime.read(memory, 4096) == b"x" * 4096
    runtime.free(memory)


if __name__ == "__main__":
    Runtime().allocate(4096)
    workers = [multiprocessing.get_context("spawn").Process(target=train) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
