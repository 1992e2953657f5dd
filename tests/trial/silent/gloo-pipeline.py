"""A pipeline of three ranks: each receives, works for a while and sends on; two of three wait at any time."""
# expect: none
# needs: torch

import multiprocessing
import tempfile
import time

import torch
import torch.distributed


def run(rank, path):
    torch.distributed.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=3)
    data = torch.ones(4)
    for _ in range(2):
        if rank:
            torch.distributed.recv(data, src=rank - 1)
        time.sleep(4)
        torch.distributed.send(data, dst=(rank + 1) % 3)
        if not rank:
            torch.distributed.recv(data, src=2)
    torch.distributed.destroy_process_group()


def main():
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as place:
        ranks = [context.Process(target=run, args=(rank, f"{place}/store")) for rank in range(3)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()


if __name__ == "__main__":
    main()
