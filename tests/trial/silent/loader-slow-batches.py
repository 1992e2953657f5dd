"""A DataLoader with a limit of 60 seconds, whose batches take three seconds each."""
# expect: none
# needs: torch

import time

import torch.utils.data


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, number):
        time.sleep(3)
        return number


def main():
    for batch in torch.utils.data.DataLoader(Slow(), batch_size=1, num_workers=2, timeout=60, multiprocessing_context="fork"):
        print(batch)


if __name__ == "__main__":
    main()
