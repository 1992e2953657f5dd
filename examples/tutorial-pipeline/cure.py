"""The same pipeline in the right order: the parent collects every result while the workers are there, then it tells them
to stop, then it joins them.
"""
# expect: none
# silent: shm-sender-exited join-before-drain
# needs: torch
# prints: collected: 14720.0

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
    print("collected:", sum(results.get().sum().item() for _ in loader))
    for _ in workers:
        batches.put(None)
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
