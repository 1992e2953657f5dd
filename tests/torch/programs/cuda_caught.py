"""A worker tries the device, drops the exception and goes on: half of the work is done on the CPU, and nobody knows."""
# expect: cuda-in-forked-child error
# fake: cuda
# frames: <module> <module> try_device
# says: torch refused to use CUDA at try_device
# prints: done 4

import os

from cuda_calls import Runtime

runtime = Runtime()  # before torch brings its own

import torch  # noqa: E402


def try_device(tensor):
    try:
        return tensor.cuda()
    except RuntimeError:
        return tensor


if __name__ == "__main__":
    torch.cuda.init()
    child = os.fork()
    if child == 0:
        print("done", int(try_device(torch.ones(4)).sum()), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
