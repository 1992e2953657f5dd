"""Two DataLoaders that are left early, with workers that are spawned, and some that a server forks.

A spawned worker ends with the interpreter's finalization, which ends the feeder thread of its queue by pthread_exit:
inside torch's C++ that is std::terminate, now and then, without mpsan too. worker-failed is true then.
"""
# expect: none
# silent: shm-sender-exited shm-buffer-churn child-not-joined
# needs: torch
# prints: 120.0
# prints: 120.0

import sys

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        return float(index)


def leave(way):
    iterator = iter(DataLoader(Numbers(), batch_size=16, num_workers=1, prefetch_factor=8, multiprocessing_context=way))
    batch = next(iterator)
    while iterator._worker_result_queue.qsize() < 4:
        pass
    return float(batch.sum())


if __name__ == "__main__":
    for way in sys.argv[1:] or ("spawn", "forkserver"):
        print(leave(way))
