"""The parent has the device; a forked pool and forked processes stay on the CPU."""
# expect: none
# note: cuda-before-fork
# silent: cuda-in-forked-child cuda-stale-query
# fake: cuda

import multiprocessing
import time

from cuda_calls import Runtime


def square(number):
    return number * number


def outlive():
    time.sleep(1.3)  # longer than a child may live before it is judged


if __name__ == "__main__":
    runtime = Runtime()
    memory = runtime.allocate(4096)
    fork = multiprocessing.get_context("fork")
    with fork.Pool(2) as pool:
        print(sum(pool.map(square, range(100))))
        pool.close()
        pool.join()
    worker = fork.Process(target=outlive)
    worker.start()
    worker.join()
    runtime.write(memory, bytes(4096))
    runtime.free(memory)
