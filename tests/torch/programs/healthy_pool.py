"""A pool whose tasks take tensors and return them, and a DataLoader whose workers are spawned."""
# expect: none
# silent: shm-sender-exited worker-failed child-not-joined nested-workers
# needs: torch

import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, TensorDataset


def square(batch):
    torch.set_num_threads(1)
    return batch * batch


def main():
    with mp.get_context("spawn").Pool(2) as pool:
        results = pool.map(square, [torch.full((1000,), float(number)) for number in range(6)])
        print([float(result[0]) for result in results])
        pool.close()
        pool.join()
    loader = DataLoader(TensorDataset(torch.arange(64)), batch_size=8, num_workers=2, multiprocessing_context="spawn")
    print(sum(int(batch[0].sum()) for batch in loader))


if __name__ == "__main__":
    main()
