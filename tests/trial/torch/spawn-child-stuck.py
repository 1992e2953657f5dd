"""torch.multiprocessing.spawn() joins a child that takes its own lock twice."""
# expect: self-deadlock error
# needs: torch
# within: 30

import threading

import torch.multiprocessing


class Meter:
    def __init__(self):
        self.lock, self.sum = threading.Lock(), 0

    def add(self, value):
        with self.lock:
            self.sum += value
            return self.mean()

    def mean(self):
        with self.lock:
            return self.sum


def train(rank):
    if rank == 1:
        Meter().add(1)


if __name__ == "__main__":
    torch.multiprocessing.spawn(train, nprocs=2)
