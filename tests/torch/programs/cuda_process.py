"""A Process, forked by a parent that has only asked whether there is a device, trains on it."""
# expect: cuda-in-forked-child error
# may: worker-failed error
# fake: cuda
# frames: is_available Popen._launch train
# says: torch refused to use CUDA at train
# says: PYTORCH_NVML_BASED_CUDA_CHECK

from cuda_calls import Runtime

runtime = Runtime()  # before torch brings its own

import torch  # noqa: E402
import torch.multiprocessing as mp  # noqa: E402


def train():
    torch.ones(4, device="cuda")


if __name__ == "__main__":
    assert torch.cuda.is_available()
    worker = mp.get_context("fork").Process(target=train)
    worker.start()
    worker.join()
