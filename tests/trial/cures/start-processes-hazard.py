"""torch's start_processes() forks while a thread holds the lock that its processes take."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# may: worker-failed warning
# says: start thread "refresher" .* after the fork at .*, or pass start_method="spawn" to start_processes\(\)
# within: 20
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
    torch.multiprocessing.start_processes(look_up, nprocs=2, start_method="fork")
    enough.set()


if __name__ == "__main__":
    main()
