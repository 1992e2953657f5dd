"""Two ranks of gloo; one of them ends before it joins the process group, which the other asks the store for again and again."""
# expect: hang warning
# options: --hang-after 5
# says: other ranks of the process group
# needs: torch
# within: 30

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
