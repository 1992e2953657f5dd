"""The worker of a DataLoader moves its batch to the device, which the training loop has used."""
# expect: cuda-in-forked-child error
# may: worker-failed error
# fake: cuda
# frames: prepare DataLoader.__iter__ __getitem__
# says: torch refused to use CUDA at Items.__getitem__
# says: multiprocessing_context=
# prints: refused

from cuda_calls import Runtime

runtime = Runtime()  # before torch brings its own

import torch  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402


class Items(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.ones(4).cuda()


def prepare():
    torch.cuda.init()


if __name__ == "__main__":
    prepare()
    try:
        list(DataLoader(Items(), batch_size=2, num_workers=1))
    except RuntimeError as error:
        print("refused" if "Cannot re-initialize CUDA" in str(error) else error)
