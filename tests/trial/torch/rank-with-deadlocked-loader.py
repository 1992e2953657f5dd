"""Two ranks train with DistributedDataParallel; a worker of one's DataLoader waits for a lock that a thread held at the fork."""
# expect: fork-orphaned-lock error
# may: collective-mismatch error
# may: fork-lock-held warning
# may: hang warning
# needs: torch
# within: 50

import multiprocessing
import tempfile
import threading

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset

cache_lock = threading.Lock()


class Samples(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        with cache_lock:
            return torch.ones(4) * index


def refresh(begun):
    with cache_lock:
        begun.set()
        threading.Event().wait()


def run(rank, path):
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    if rank == 1:
        begun = threading.Event()
        threading.Thread(target=refresh, args=(begun,), daemon=True).start()
        begun.wait()
    for batch in DataLoader(Samples(), batch_size=2, num_workers=1, multiprocessing_context="fork"):
        model(batch).sum().backward()
    torch.distributed.destroy_process_group()


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
