"""torch.compile starts processes that compile, after the parent has begun to use the device: they stay away from it."""
# expect: none
# silent: cuda-in-forked-child

import torch


@torch.compile
def step(data, weight):
    return torch.relu(data @ weight).sum(dim=0)


if __name__ == "__main__":
    data, weight = torch.ones(64, 32, device="cuda"), torch.ones(32, 16, device="cuda")
    print(step(data, weight).tolist() == [2048.0] * 16)
