"""A DataLoader with two workers, two epochs, and a model that trains in the parent between batches.

The workers are forked while torch has already computed in the parent. That is all right: each worker limits
itself to one thread before it touches a tensor.
"""
# expect: none
# needs: torch
# prints: trained: True

import torch
from torch.utils.data import DataLoader, Dataset


class Parabola(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        x = torch.tensor([index / 64])
        return x, x * x


def train(model, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
    loss = train(model, DataLoader(Parabola(), batch_size=16, num_workers=2), epochs=2)
    print("trained:", loss < 1)


if __name__ == "__main__":
    main()
