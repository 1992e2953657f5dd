"""Three ranks of gloo; one raises, and its clean-up joins a thread that wants its lock: the error is not printed."""
# expect: deadlock-cycle error
# says: while handling ValueError\(.a bad batch.\) raised at load \(rank-raised-and-hung.py:\d+\)
# may: collective-mismatch error
# may: hang warning
# needs: torch
# within: 40

import multiprocessing
import socket
import threading

import torch.distributed


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def load():
    raise ValueError("a bad batch")


def run(rank, port):
    lock = threading.RLock()
    writer = threading.Thread(target=lock.acquire)
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=3)
    if rank == 1:
        with lock:
            writer.start()
            try:
                load()
            finally:
                writer.join()
    torch.distributed.new_group([0, 1])


def main():
    context = multiprocessing.get_context("fork")
    port = free_port()
    ranks = [context.Process(target=run, args=(rank, port)) for rank in range(3)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()


if __name__ == "__main__":
    main()
