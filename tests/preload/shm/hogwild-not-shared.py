"""Two processes forked to train a model together each get a copy of it: share_memory() was never called."""
# expect: none
# note: hogwild-not-shared
# says: Linear
# needs: torch
# prints: 0.0

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
    processes = [mp.Process(target=train, args=(model, 1.0)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print(model.weight.sum().item())
