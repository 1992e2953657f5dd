"""Four children on two processors, each with four threads that compute."""
# expect: cpu-oversubscribed warning
# may: too-many-workers warning
# needs: torch
# prints: all ended well: True

import os
import time

import torch
import torch.multiprocessing as mp

CHILDREN = THREADS = 4
SECONDS = 2  # of processor time, in each: a busy machine takes longer for it


def compute():
    torch.set_num_threads(THREADS)
    matrix = torch.rand(400, 400)
    while time.process_time() < SECONDS:
        torch.sigmoid(matrix + matrix)


def main():
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    context = mp.get_context("fork")
    children = [context.Process(target=compute) for _ in range(CHILDREN)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    print("all ended well:", all(child.exitcode == 0 for child in children))


if __name__ == "__main__":
    main()
