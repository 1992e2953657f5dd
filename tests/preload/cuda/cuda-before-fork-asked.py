"""The parent has only asked whether there is a device; its forked worker stays on the CPU."""
# expect: none
# note: cuda-before-fork
# silent: cuda-in-forked-child
# fake: cuda
# says: PYTORCH_NVML_BASED_CUDA_CHECK
# prints: 3

import multiprocessing

import torch_guard

cuda = torch_guard.make()


def add():
    print(1 + 2)


if __name__ == "__main__":
    assert cuda.is_available()
    worker = multiprocessing.get_context("fork").Process(target=add)
    worker.start()
    worker.join()
