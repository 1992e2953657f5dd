"""With torch: the parent has the device, a forked child reaches for the runtime below torch's own guard."""
# expect: cuda-in-forked-child error
# frames: train

import os

import torch

from cuda_calls import Runtime, result_of


def train():
    print(result_of(Runtime().allocate, 4096), flush=True)


if __name__ == "__main__":
    torch.ones(1, device="cuda")
    child = os.fork()
    if child == 0:
        train()
        os._exit(0)
    os.waitpid(child, 0)
