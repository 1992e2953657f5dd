"""Four ranks of gloo; one leaves the loop a step early, and is in the barrier while the others are in the all_reduce."""
# expect: collective-mismatch warning
# says: ranks 0, 1 and 3 wait in all_reduce \(collective-too-few.py:20\); rank 2 waits in barrier \(collective-too-few.py:21\)
# needs: torch
# within: 40

import multiprocessing
import tempfile

import torch
import torch.distributed


def run(rank, path):
    torch.distributed.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=4)
    gradient = torch.ones(4)
    for batch in range(3):
        if rank == 2 and batch == 2:
            break  # its share of the data is smaller
        torch.distributed.all_reduce(gradient)
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
