"""Two ranks of gloo; one of them ends before it joins the process group, which the other asks the store for again and again."""
# expect: collective-mismatch warning
# says: rank 0 waits in init_process_group .*; rank 1 ended with status 0
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
    if rank == 1:
        return
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)


def main():
    context = multiprocessing.get_context("fork")
    port = free_port()
    ranks = [context.Process(target=run, args=(rank, port)) for rank in range(2)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()


if __name__ == "__main__":
    main()
