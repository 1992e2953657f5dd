"""The workers of a DataLoader stay on the CPU while the parent trains on the device."""
# expect: none
# silent: cuda-in-forked-child

import torch
from torch.utils.data import DataLoader, TensorDataset

if __name__ == "__main__":
    weight = torch.ones(8, device="cuda")
    loader = DataLoader(TensorDataset(torch.arange(64.0).reshape(8, 8)), batch_size=2, num_workers=2, pin_memory=True)
    print(sum(float((batch[0].cuda() @ weight).sum()) for epoch in range(2) for batch in loader))
