"""Two ranks of gloo, one of which comes eight seconds late to the all_reduce."""
# expect: none
# needs: torch

import multiprocessing
import tempfile
import time

import torch
import torch.distributed


def run(rank, path):
    torch.distributed.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
    if rank == 1:
        time.sleep(8)
    torch.distributed.all_reduce(torch.ones(4))
    torch.distributed.destroy_process_group()


def main():
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as place:
        ranks = [context.Process(target=run, args=(rank, f"{place}/store")) for rank in range(2)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()


if __name__ == "__main__":
    main()
