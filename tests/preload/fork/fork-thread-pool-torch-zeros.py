# Large zeros in the parent, zeros in the child (pytorch/pytorch#41197).
# expect: fork-thread-pool error
# frames: in_parent in_child
# says: omp_pause_resource_all
# ends: never
# needs: torch
import multiprocessing

import torch


def in_parent():
    torch.zeros(152 * 4, 168 * 4)


def in_child():
    torch.zeros(152 * 4, 168 * 4)


if __name__ == "__main__":
    torch.set_num_threads(4)
    in_parent()
    worker = multiprocessing.get_context("fork").Process(target=in_child)
    worker.start()
    worker.join()
