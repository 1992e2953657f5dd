"""Two ranks of gloo; one fails, and a helper that it forked keeps its connections open: the other waits for ever."""
# expect: collective-mismatch error
# may: worker-failed warning
# may: worker-failed error
# says: rank 0 waits in barrier (rank_ended.py:24); rank 1 ended with status 1
# ends: never
# needs: torch
import multiprocessing
import os
import signal
import sys
import tempfile

import torch.distributed


def run(rank, path):
    torch.distributed.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
    torch.distributed.barrier()
    if rank == 1:
        if os.fork() == 0:
            signal.pause()
        sys.exit("a bad batch")
    torch.distributed.barrier()


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
