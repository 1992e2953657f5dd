"""Three epochs of a DataLoader whose workers are made anew for each, and three of one that keeps them."""
# expect: none
# silent: tensor-pickled-by-value shm-leaked fork-inherited-tensor child-not-joined
# needs: torch
# prints: [85344.0, 85344.0, 85344.0]
# prints: [85344.0, 85344.0, 85344.0]

import torch
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((5000,), float(index * index))


def epochs(loader):
    return [sum(float(batch[:, 0].sum()) for batch in loader) for _ in range(3)]


if __name__ == "__main__":
    print(epochs(DataLoader(Squares(), batch_size=8, num_workers=2)))
    print(epochs(DataLoader(Squares(), batch_size=8, num_workers=2, persistent_workers=True)))
