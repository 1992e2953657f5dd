"""Several processes change one shared tensor: each has rows of its own, and the cell that all of them change is
guarded by a lock that processes can share.
"""
# expect: none
# needs: torch
# prints: rows: [0.0, 75.0, 150.0, 225.0] total: 100

import torch
import torch.multiprocessing as mp

PROCESSES = 4
ROUNDS = 25


def fill(table, total, lock, rank):
    torch.set_num_threads(1)
    for _ in range(ROUNDS):
        table[rank] += rank
        with lock:
            total += 1


def main():
    table = torch.zeros(PROCESSES, 3).share_memory_()
    total = torch.zeros(1, dtype=torch.long).share_memory_()
    lock = mp.Lock()
    processes = [mp.Process(target=fill, args=(table, total, lock, rank)) for rank in range(PROCESSES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print("rows:", table.sum(dim=1).tolist(), "total:", total.item())


if __name__ == "__main__":
    main()
