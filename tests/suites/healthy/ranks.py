"""Two gloo ranks of mp.spawn: collectives, DistributedDataParallel."""
# needs: torch
# args: collectives
# args: ddp
import os
import socket
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def collectives(rank):
    for _ in range(10):
        tensor = torch.ones(100) * rank
        dist.all_reduce(tensor)
        dist.barrier()
    return tensor.sum().item()


def steps(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        model(torch.ones(4, 8)).sum().backward()
        optimizer.step()
    return "trained"


def ddp(rank):
    return steps(torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 2)))


def main(rank, what, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=2)
    result = {"collectives": collectives, "ddp": ddp}[what](rank)
    dist.destroy_process_group()
    if rank == 0:
        print(result, flush=True)


if __name__ == "__main__":
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    mp.spawn(main, (sys.argv[1], port), nprocs=2)
