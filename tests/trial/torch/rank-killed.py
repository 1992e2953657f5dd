"""Three ranks of gloo; one is killed, and a helper that it forked keeps its connections open."""
# expect: collective-mismatch error
# says: ranks 0 and 1 wait in all_reduce \(rank-killed.py:28\); rank 2 was killed by SIGKILL
# may: parent-lost warning
# may: worker-failed warning
# may: worker-failed error
# needs: torch
# within: 40

import multiprocessing
import os
import signal
import tempfile

import torch
import torch.distributed

context = multiprocessing.get_context("fork")


def run(rank, path):
    torch.distributed.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=3)
    torch.distributed.all_reduce(torch.ones(4))
    if rank == 2:
        if os.fork() == 0:
            signal.pause()
        os.kill(os.getpid(), signal.SIGKILL)
    torch.distributed.all_reduce(torch.ones(4))
    torch.distributed.destroy_process_group()


def main():
    with tempfile.TemporaryDirectory() as place:
        ranks = [context.Process(target=run, args=(rank, f"{place}/store")) for rank in range(3)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()


if __name__ == "__main__":
    main()
