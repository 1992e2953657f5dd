"""As loader-orphaned-lock, with timeout=60."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# needs: torch
# within: 20

import threading

import torch.utils.data

index_lock = threading.Lock()


class Images(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, number):
        with index_lock:
            return number


def refresh(begun):
    with index_lock:
        begun.set()
        threading.Event().wait()


def main():
    begun = threading.Event()
    threading.Thread(target=refresh, args=(begun,), daemon=True).start()
    begun.wait()
    for batch in torch.utils.data.DataLoader(Images(), batch_size=2, num_workers=2, timeout=60, multiprocessing_context="fork"):
        print(batch)


if __name__ == "__main__":
    main()
