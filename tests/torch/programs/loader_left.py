"""DataLoaders that are left early, each in its way: what their workers had ready nobody wants. A worker may exit while
the thread that feeds its queue is between shm_open and shm_unlink: shm-leaked is then a note, and true."""
# expect: none
# silent: shm-sender-exited shm-buffer-churn worker-failed child-not-joined
# needs: torch
# prints: 0.0
# prints: 632000.0
# prints: 0.0
# prints: 0.0
# prints: 0.0
# prints: 0.0
# prints: 0.0

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

torch.set_num_threads(1)


class Numbers(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        return float(index)


class Tensors(Numbers):
    def __getitem__(self, index):
        return torch.full((1000,), float(index))


class Stream(IterableDataset):
    def __iter__(self):
        return iter(float(number) for number in range(4000))


class Enough(Exception):
    pass


def first(iterator):
    """The first batch, while more are on their way."""
    batch = next(iterator)
    while iterator._worker_result_queue.qsize() < 4:
        pass
    return float(batch.flatten()[0])


def leave_by_break(loader):
    for number, batch in enumerate(loader):
        if number == 2:
            return float(batch.sum())


def leave_by_exception(loader):
    try:
        for batch in loader:
            raise Enough
    except Enough:
        return float(batch.flatten()[0])


def drop(loader):
    return first(iter(loader))


def keep_to_the_end(loader):
    kept.append(iter(loader))
    return first(kept[-1])


kept = []

if __name__ == "__main__":
    many = {"batch_size": 16, "num_workers": 2, "prefetch_factor": 8}
    print(drop(DataLoader(Numbers(), **many)))
    print(leave_by_break(DataLoader(Tensors(), **many)))
    print(leave_by_exception(DataLoader(Numbers(), **many)))
    print(drop(DataLoader(Stream(), **many)))
    print(drop(DataLoader(Numbers(), persistent_workers=True, **many)))
    torch.multiprocessing.set_sharing_strategy("file_system")
    print(drop(DataLoader(Numbers(), **many)))
    torch.multiprocessing.set_sharing_strategy("file_descriptor")
    print(keep_to_the_end(DataLoader(Numbers(), **many)))
