# A sigmoid of 100,000 elements on both sides (pytorch/pytorch#17199).
# expect: fork-thread-pool error
# frames: in_parent in_child
# says: OMP_NUM_THREADS=1
# ends: never
# needs: torch
import multiprocessing

import torch


def in_parent():
    torch.sigmoid(torch.ones(100_000))


def in_child():
    torch.sigmoid(torch.ones(100_000))


if __name__ == "__main__":
    torch.set_num_threads(4)
    in_parent()
    worker = multiprocessing.get_context("fork").Process(target=in_child)
    worker.start()
    worker.join()
