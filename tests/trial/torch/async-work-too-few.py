"""Three ranks of gloo begin an all_reduce and wait for it later, in C++; one is in the barrier instead."""
# expect: collective-mismatch warning
# says: ranks 0 and 1 wait in Work.wait \(async-work-too-few.py:17\); rank 2 waits in barrier \(async-work-too-few.py:24\)
# needs: torch
# within: 40

import multiprocessing
import tempfile

import torch
import torch.distributed


def step():
    gradient = torch.ones(4)
    work = torch.distributed.all_reduce(gradient, async_op=True)
    work.wait()


def run(rank, path):
    torch.distributed.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=3)
    for batch in range(3 if rank != 2 else 2):
        step()
    torch.distributed.barrier()


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
