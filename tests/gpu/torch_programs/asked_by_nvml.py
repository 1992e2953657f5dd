"""The same, asked by NVML: the forked process may use the device, which its parent has not initialised."""
# expect: none
# silent: cuda-in-forked-child cuda-before-fork
# prints: on the device

import os

os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"

import torch  # noqa: E402
import torch.multiprocessing as mp  # noqa: E402


def train(device):
    print("on the CPU" if torch.ones(4, device=device).device.type == "cpu" else "on the device", flush=True)


if __name__ == "__main__":
    worker = mp.get_context("fork").Process(target=train, args=("cuda" if torch.cuda.is_available() else "cpu",))
    worker.start()
    worker.join()
