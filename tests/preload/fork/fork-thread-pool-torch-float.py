# A conversion to float fills OpenMP's pool in the parent; the forked child converts as well (pytorch/pytorch#89693).
# expect: fork-thread-pool error
# frames: in_parent in_child
# says: the thread pool of libgomp
# ends: never
# needs: torch
import multiprocessing

import torch


def in_parent():
    torch.ones(1_000_000, dtype=torch.int32).float()


def in_child():
    torch.ones(1_000_000, dtype=torch.int32).float()


if __name__ == "__main__":
    torch.set_num_threads(4)
    in_parent()
    worker = multiprocessing.get_context("fork").Process(target=in_child)
    worker.start()
    worker.join()
