"""Two processes that call each other by torch.distributed.rpc."""
# needs: torch
import os
import socket

import torch
import torch.distributed.rpc as rpc
import torch.multiprocessing as mp


def add(a, b):
    return a + b


def main(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    rpc.init_rpc(f"worker{rank}", rank=rank, world_size=2)
    if rank == 0:
        results = [rpc.rpc_async("worker1", add, args=(torch.ones(4), index)) for index in range(10)]
        print("sum", float(sum(result.wait().sum() for result in results)), flush=True)
    rpc.shutdown()


if __name__ == "__main__":
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    mp.spawn(main, (port,), nprocs=2)
