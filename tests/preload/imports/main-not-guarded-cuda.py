"""The main module initialises CUDA outside of its guard: so does each child of spawn that imports it."""
# expect: none
# note: main-not-guarded
# says: the only worker
# fake: cuda

import multiprocessing

from cuda_calls import Runtime

memory = Runtime().allocate(4096)


def work():
    print("worker", flush=True)


if __name__ == "__main__":
    worker = multiprocessing.get_context("spawn").Process(target=work, name="the only worker")
    worker.start()
    worker.join()
