"""The workers of a DataLoader stay on the CPU while the parent has the device."""
# expect: none
# note: cuda-before-fork
# silent: cuda-in-forked-child cuda-stale-query cuda-from-worker
# fake: cuda
# needs: torch
# prints: 4032

import torch
from torch.utils.data import DataLoader, TensorDataset

from cuda_calls import Runtime

if __name__ == "__main__":
    runtime = Runtime()
    memory = runtime.allocate(4096)
    loader = DataLoader(TensorDataset(torch.arange(64)), batch_size=8, num_workers=2)
    print(sum(int(batch[0].sum()) for epoch in range(2) for batch in loader))
    runtime.free(memory)
