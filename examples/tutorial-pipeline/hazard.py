"""Four workers double batches and end on their sentinel; the parent collects the results afterwards.

So it stands in tutorials. But a tensor in a queue is still with the process that put it there: what went through the
queue is the address at which to ask for its memory. Here all workers have ended before the parent asks, which in the
wild is a matter of luck.
"""
# expect: shm-sender-exited error
# may: shm-sender-exited warning
# says: doubler
# needs: torch
# prints: a result cannot be fetched: who sent it is gone

import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset

WORKERS = 4


class Ramp(Dataset):
    """Rows that count upwards."""

    def __len__(self):
        return 40

    def __getitem__(self, index):
        return torch.arange(8.0) + index


def double(batches, results):
    torch.set_num_threads(1)
    for batch in iter(batches.get, None):
        results.put(batch * 2)


def main():
    batches, results = mp.Queue(), mp.Queue()
    workers = [mp.Process(target=double, args=(batches, results), name=f"doubler {number}") for number in range(WORKERS)]
    for worker in workers:
        worker.start()
    loader = DataLoader(Ramp(), batch_size=4, num_workers=0)
    for batch in loader:
        batches.put(batch)
    for _ in workers:
        batches.put(None)
    for worker in workers:
        worker.join()  # the parent has something else to do until they are gone
    try:
        print("collected:", sum(results.get().sum().item() for _ in loader))
    except (OSError, EOFError):
        print("a result cannot be fetched: who sent it is gone")


if __name__ == "__main__":
    main()
