"""A refusal that only an exception tells, where exceptions are not looked at: what remains is the note."""
# expect: none
# note: cuda-before-fork
# fake: cuda
# options: --exceptions=off
# prints: refused

import multiprocessing

import refusals
from cuda_calls import Runtime

cupy = refusals.cupy()


def train():
    try:
        cupy.ndarray()
    except RuntimeError:
        print("refused")


if __name__ == "__main__":
    Runtime().allocate(4096)
    worker = multiprocessing.get_context("fork").Process(target=train)
    worker.start()
    worker.join()
