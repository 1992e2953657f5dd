"""A DataLoader with two workers: start method, what it loads, whether its epoch is read to the end."""
# needs: torch
# args: fork numbers late
# args: fork numbers early
# args: fork tensors late
# args: fork tensors early
# args: spawn numbers late
# args: spawn numbers early
# args: spawn tensors late
# args: spawn tensors early
# args: forkserver numbers late
# args: forkserver numbers early
# args: forkserver tensors late
# args: forkserver tensors early
# args: fork tensors persistent
# args: spawn tensors persistent
import sys

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, tensors):
        self.tensors = tensors

    def __len__(self):
        return 256

    def __getitem__(self, index):
        return torch.full((64, 64), float(index)) if self.tensors else index


if __name__ == "__main__":
    method, kind, end = sys.argv[1:]
    loader = DataLoader(Rows(kind == "tensors"), batch_size=8, num_workers=2, multiprocessing_context=method,
                        persistent_workers=end == "persistent")
    total = 0.0
    for _ in range(2):
        for number, batch in enumerate(loader):
            total += float(batch.sum())
            if end == "early" and number == 3:
                break
    print("sum", total)
