"""Four ranks of gloo with groups of their own: one computes for twenty seconds, one saves a checkpoint while the others are in the barrier."""
# expect: none
# needs: torch

import multiprocessing
import tempfile
import time

import torch
import torch.distributed


def run(rank, path):
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=4)
    low, high = torch.distributed.new_group([0, 1]), torch.distributed.new_group([2, 3])
    if rank == 3:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            torch.ones(100, 100) @ torch.ones(100, 100)
    torch.distributed.all_reduce(torch.ones(4), group=low if rank < 2 else high)
    if rank == 0:
        time.sleep(12)  # writes the checkpoint
    torch.distributed.barrier(group=low if rank < 2 else high)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def main():
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as place:
        ranks = [context.Process(target=run, args=(rank, f"{place}/store")) for rank in range(4)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()


if __name__ == "__main__":
    main()
