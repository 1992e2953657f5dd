"""Hogwild as it should be: the model is in shared memory before the processes are forked."""
# expect: none
# silent: hogwild-not-shared
# needs: torch
# prints: 4.0

import torch
import torch.multiprocessing as mp


def train(model, rate):
    with torch.no_grad():
        model.weight += rate


if __name__ == "__main__":
    mp.set_start_method("fork")
    torch.set_num_threads(1)
    model = torch.nn.Linear(4, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    model.share_memory()
    processes = [mp.Process(target=train, args=(model, 1.0)) for _ in range(1)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print(model.weight.sum().item())
