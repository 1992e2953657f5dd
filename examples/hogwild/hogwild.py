"""Hogwild: processes train one model in shared memory and take no lock, as the method intends.

share_memory() comes before the processes: without it each forked process would train a copy of its own.
"""
# expect: none
# needs: torch
# prints: all ended well: True
# prints: the parent sees the training: True

import torch
import torch.multiprocessing as mp

PROCESSES = 3
STEPS = 40


def train(model, seed):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(STEPS):
        x = torch.rand(16, 2)
        optimizer.zero_grad()
        loss = (model(x) - x.sum(dim=1, keepdim=True)).square().mean()
        loss.backward()
        optimizer.step()


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1)
    before = model.weight.detach().clone()
    model.share_memory()
    processes = [mp.Process(target=train, args=(model, seed)) for seed in range(PROCESSES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print("all ended well:", all(process.exitcode == 0 for process in processes))
    print("the parent sees the training:", not torch.equal(before, model.weight))


if __name__ == "__main__":
    main()
