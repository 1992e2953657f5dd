"""A rank of torch.distributed returns without destroy_process_group()."""
# expect: none
# note: process-group-not-destroyed
# says: rank zero
# needs: torch
# prints: 2.0

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(path):
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=0, world_size=1)
    total = torch.ones(2)
    dist.all_reduce(total)
    print(total.sum().item(), flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"group-{os.getpid()}")
    rank = mp.get_context("fork").Process(target=run, args=(path,), name="rank zero")
    rank.start()
    rank.join()
