"""What the finding of start-processes-hazard.py says: the processes begin afresh, with a lock of their own."""
# expect: none
# needs: torch

import threading

import torch.multiprocessing

cache_lock = threading.Lock()


def look_up(number):
    with cache_lock:
        print(number)


def refresh(begun, enough):
    with cache_lock:
        begun.set()
        enough.wait()


def main():
    begun, enough = threading.Event(), threading.Event()
    threading.Thread(target=refresh, args=(begun, enough), name="refresher", daemon=True).start()
    begun.wait()
    torch.multiprocessing.start_processes(look_up, nprocs=2, start_method="spawn")
    enough.set()


if __name__ == "__main__":
    main()
