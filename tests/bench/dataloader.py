"""An epoch of `dataloader.py COUNT` batches of 1 MB through two workers; prints its nanoseconds."""

import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Batches(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return torch.full((262144,), float(i))


if __name__ == "__main__":
    torch.set_num_threads(1)
    start = time.monotonic_ns()
    total = sum(int(batch[0, 0]) for batch in DataLoader(Batches(int(sys.argv[1])), batch_size=1, num_workers=2))
    print(time.monotonic_ns() - start)
    assert total == sum(range(int(sys.argv[1])))
