"""torch.multiprocessing.spawn: each process gets a shared tensor, and writes a row of its own."""
# expect: none
# silent: main-not-guarded tensor-pickled-by-value shm-unsynchronized
# may: cpu-oversubscribed warning
# needs: torch
# prints: [0.0, 1000.0, 2000.0]

import torch
import torch.multiprocessing as mp


def fill(rank, rows):
    torch.set_num_threads(1)
    rows[rank] = float(rank)


def main():
    rows = torch.zeros(3, 1000).share_memory_()
    mp.spawn(fill, args=(rows,), nprocs=3)
    print(rows.sum(dim=1).tolist())


if __name__ == "__main__":
    main()
