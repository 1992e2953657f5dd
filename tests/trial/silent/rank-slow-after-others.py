"""Two ranks of gloo, one of which comes five seconds late; a third process of their parent has ended before."""
# expect: none
# options: --hang-after 10
# needs: torch

import multiprocessing
import socket
import time

import torch.distributed


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def run(rank, port):
    if rank == 1:
        time.sleep(5)
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    torch.distributed.all_reduce(torch.ones(1))
    torch.distributed.destroy_process_group()


def main():
    context = multiprocessing.get_context("fork")
    port = free_port()
    helper = context.Process(target=print, args=("prepared",))
    helper.start()
    helper.join()
    ranks = [context.Process(target=run, args=(rank, port)) for rank in range(2)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()


if __name__ == "__main__":
    main()
