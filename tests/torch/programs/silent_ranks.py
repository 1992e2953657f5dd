"""Twice as many ranks as processors, which mostly wait for the first one: how many there are is not theirs to choose."""
# expect: none
# silent: too-many-workers cpu-oversubscribed
# needs: torch
# prints: nothing
import os
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def train(rank, file, world):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=world)
    for _ in range(8):
        begin = time.process_time()
        while time.process_time() - begin < 0.05:
            pass
        if rank == 0:
            time.sleep(0.5)  # the case itself: for so long the others wait
        dist.barrier()
    dist.destroy_process_group()


def main():
    world = 2 * len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, args=(os.path.join(folder, "store"), world), nprocs=world)


if __name__ == "__main__":
    main()
