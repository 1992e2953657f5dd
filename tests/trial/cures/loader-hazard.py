"""A DataLoader forks while a thread holds the lock that its processes take."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# may: worker-failed warning
# says: start thread "refresher" .* after the fork at .*, or pass multiprocessing_context="spawn" to the DataLoader
# within: 20
# needs: torch

import threading

import torch.utils.data

cache_lock = threading.Lock()


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, number):
        with cache_lock:
            return number


def refresh(begun, enough):
    with cache_lock:
        begun.set()
        enough.wait()


def main():
    begun, enough = threading.Event(), threading.Event()
    threading.Thread(target=refresh, args=(begun, enough), name="refresher", daemon=True).start()
    begun.wait()
    for batch in torch.utils.data.DataLoader(Numbers(), num_workers=1, multiprocessing_context="fork"):
        print(batch)
    enough.set()


if __name__ == "__main__":
    main()
