"""Three ranks of gloo; one raises and has been waited for by the parent, as not in rank-raised."""
# expect: collective-mismatch error
# says: ranks 0 and 2 wait in new_group \(rank-raised-and-joined.py:23\); rank 1 ended with status 1
# needs: torch
# within: 40

import multiprocessing
import socket

import torch.distributed


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def run(rank, port):
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=3)
    if rank == 1:
        raise ValueError("a bad batch")
    torch.distributed.new_group([0, 1])


def main():
    context = multiprocessing.get_context("fork")
    port = free_port()
    ranks = [context.Process(target=run, args=(rank, port)) for rank in range(3)]
    for rank in ranks:
        rank.start()
    ranks[1].join()
    for rank in ranks:
        rank.join()


if __name__ == "__main__":
    main()
