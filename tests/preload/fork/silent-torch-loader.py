# A DataLoader's workers are forked after OpenMP's pool was used. DataLoader lets them compute with one thread, which needs no pool.
# expect: none
# needs: torch
# prints: 15035836.75
# prints: 15035836.75
import torch
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        return (torch.ones(1_000_000) * index).sigmoid().sum()


if __name__ == "__main__":
    torch.set_num_threads(4)
    torch.ones(1_000_000).sigmoid()
    for _ in range(2):
        print(sum(float(batch.sum()) for batch in DataLoader(Squares(), batch_size=2, num_workers=2)))
