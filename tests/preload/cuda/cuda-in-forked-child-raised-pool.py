"""A task of a Pool wants a data frame on the device; the exception is pickled, and its text is not told."""
# expect: cuda-in-forked-child error
# fake: cuda
# frames: prepare _launch load
# says: RAPIDS refused to use CUDA at load
# options: --exceptions=type
# prints: MemoryError

import multiprocessing

import refusals
from cuda_calls import Runtime

cudf = refusals.cudf()


def prepare():
    Runtime().allocate(4096)


def load(item):
    return cudf.from_pandas()


if __name__ == "__main__":
    prepare()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            pool.map(load, [1])
        except MemoryError:
            print("MemoryError")
