"""torch.cuda.is_available() comes first; a forked Process then uses the device, and drops the exception."""
# expect: cuda-in-forked-child error
# frames: choose Popen._launch train
# says: torch refused to use CUDA at train
# says: PYTORCH_NVML_BASED_CUDA_CHECK
# prints: on the CPU

import torch
import torch.multiprocessing as mp


def choose():
    return "cuda" if torch.cuda.is_available() else "cpu"


def train(device):
    try:
        weight = torch.ones(4, device=device)
    except RuntimeError:
        weight = torch.ones(4)
    print("on the CPU" if weight.device.type == "cpu" else "on the device", flush=True)


if __name__ == "__main__":
    worker = mp.get_context("fork").Process(target=train, args=(choose(),))
    worker.start()
    worker.join()
