"""Hogwild: processes that train one model in shared memory."""
# needs: torch
# args: fork
# args: spawn
import sys

import torch
import torch.multiprocessing as mp


def train(model, seed):
    torch.manual_seed(seed)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(20):
        optimizer.zero_grad()
        model(torch.randn(16, 8)).square().mean().backward()
        optimizer.step()


if __name__ == "__main__":
    context = mp.get_context(sys.argv[1])
    torch.set_num_threads(1)
    model = torch.nn.Linear(8, 1)
    model.share_memory()
    workers = [context.Process(target=train, args=(model, seed)) for seed in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print("exit", [worker.exitcode for worker in workers])
