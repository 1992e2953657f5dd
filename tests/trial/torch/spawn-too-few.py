"""torch.multiprocessing.spawn() starts three ranks of gloo; one leaves the loop a step early."""
# expect: collective-mismatch warning
# says: ranks 0 and 1 wait in all_reduce \(spawn-too-few.py:19\); rank 2 waits in barrier \(spawn-too-few.py:20\)
# needs: torch
# within: 50

import tempfile

import torch
import torch.distributed
import torch.multiprocessing


def run(rank, path):
    torch.distributed.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=3)
    for batch in range(3):
        if rank == 2 and batch == 2:
            break  # its share of the data is smaller
        torch.distributed.all_reduce(torch.ones(4))
    torch.distributed.barrier()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        torch.multiprocessing.spawn(run, (f"{place}/store",), nprocs=3)
