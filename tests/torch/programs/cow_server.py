"""Workers of a fork server load torch by themselves: that is no copy of anybody's memory."""
# expect: none
# silent: cow-growth
# needs: torch
# prints: torch.Size([2, 2])
# prints: torch.Size([2, 2])
# prints: torch.Size([2, 2])
# prints: torch.Size([2, 2])
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, at):
        time.sleep(0.5)  # long enough to be looked at from outside
        return torch.full((2,), float(at))


def main():
    for batch in DataLoader(Numbers(), batch_size=2, num_workers=2, multiprocessing_context="forkserver"):
        print(batch.shape)


if __name__ == "__main__":
    main()
