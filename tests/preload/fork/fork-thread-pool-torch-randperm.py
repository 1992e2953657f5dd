# A permutation that is just long enough for several threads, on both sides (pytorch/pytorch#42444).
# expect: fork-thread-pool error
# frames: in_parent in_child
# says: torch.set_num_threads(1)
# ends: never
# needs: torch
import multiprocessing

import torch


def in_parent():
    torch.randperm(2**15 + 1)


def in_child():
    torch.randperm(2**15 + 1)


if __name__ == "__main__":
    torch.set_num_threads(4)
    in_parent()
    worker = multiprocessing.get_context("fork").Process(target=in_child)
    worker.start()
    worker.join()
