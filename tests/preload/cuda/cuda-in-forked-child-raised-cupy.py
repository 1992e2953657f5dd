"""cupy's runtime refuses by itself in a forked child, whose exception tells; the program prints something else."""
# expect: cuda-in-forked-child error
# fake: cuda
# pythons: all
# frames: prepare _launch train
# says: cupy refused to use CUDA at train
# says: check_status()
# says: cupy.asnumpy
# prints: on the CPU

import multiprocessing

import refusals
from cuda_calls import Runtime

cupy = refusals.cupy()


def prepare():
    Runtime().allocate(4096)


def train():
    try:
        cupy.ndarray()
    except RuntimeError:
        print("on the CPU", flush=True)


if __name__ == "__main__":
    prepare()
    worker = multiprocessing.get_context("fork").Process(target=train)
    worker.start()
    worker.join()
