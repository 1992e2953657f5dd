"""/dev/shm has 2 MiB, and the workers of a DataLoader send batches of 8 MB. It has a mount namespace of its own."""
# expect: shm-no-space error
# may: shm-no-space warning
# may: worker-failed warning
# needs: torch
# prints: the worker died

import ctypes
import sys

CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_REC, MS_PRIVATE = 0x4000, 0x40000


def make_small():
    """A namespace in which /dev/shm is small; without the right to make one, that of a user namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0 and libc.unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0:
        sys.exit(77)
    if libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) != 0:
        sys.exit(77)
    if libc.mount(b"small", b"/dev/shm", b"tmpfs", 0, b"size=2m,mode=1777") != 0:
        sys.exit(77)


def main():
    make_small()
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Large(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            return torch.ones(2_000_000)

    try:
        print(sum(1 for batch in DataLoader(Large(), batch_size=1, num_workers=1)))
    except RuntimeError:
        print("the worker died")


if __name__ == "__main__":
    main()
