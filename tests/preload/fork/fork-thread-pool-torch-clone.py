# Parameters are cloned in the parent and in two children (pytorch/pytorch#50669): one finding.
# expect: fork-thread-pool error
# frames: clone_all in_child
# ends: never
# needs: torch
import multiprocessing

import torch

model = torch.nn.Linear(1000, 1000)


def clone_all():
    return [parameter.clone() for parameter in model.parameters()]


def in_child():
    clone_all()


if __name__ == "__main__":
    torch.set_num_threads(4)
    clone_all()
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=in_child) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
