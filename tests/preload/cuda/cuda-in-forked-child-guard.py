"""A framework knows that it was forked and raises, without any call to the driver; the program drops the exception."""
# expect: cuda-in-forked-child error
# fake: cuda
# frames: is_available Popen._launch train
# says: torch refused to use CUDA at train
# says: PYTORCH_NVML_BASED_CUDA_CHECK
# says: multiprocessing_context=
# prints: refused

import multiprocessing

import torch_guard

cuda = torch_guard.make()


def train():
    try:
        cuda.zeros(4096)
    except RuntimeError:
        print("refused")


if __name__ == "__main__":
    assert cuda.is_available()
    worker = multiprocessing.get_context("fork").Process(target=train)
    worker.start()
    worker.join()
