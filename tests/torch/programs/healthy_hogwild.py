"""Hogwild as the best practices show it: the model is shared before the processes start, and nobody takes a lock."""
# expect: none
# silent: hogwild-not-shared fork-inherited-tensor shm-unsynchronized tensor-pickled-by-value
# needs: torch
# prints: [0, 0, 0, 0] True

import torch
import torch.multiprocessing as mp
from torch import nn


def train(model, rank):
    torch.set_num_threads(1)
    torch.manual_seed(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(50):
        data, target = torch.randn(8, 10), torch.randn(8, 1)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(data), target).backward()
        optimizer.step()


def main():
    model = nn.Linear(10, 1)
    before = model.weight.detach().clone()
    model.share_memory()
    processes = [mp.Process(target=train, args=(model, rank)) for rank in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print([process.exitcode for process in processes], not torch.equal(before, model.weight))


if __name__ == "__main__":
    main()
