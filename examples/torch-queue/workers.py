"""Tensors go to workers and come back through torch queues.

The order at the end matters. A tensor on its way through a queue still belongs to the process that sent it: the
receiver asks that process for the memory. So the workers stay until the parent has collected every result, and
only then does it send each worker its sentinel.
"""
# expect: none
# needs: torch
# prints: sum of all rows: 16192.0

import torch
import torch.multiprocessing as mp

WORKERS = 3
BATCHES = 12


def work(tasks, results):
    torch.set_num_threads(1)
    for index, batch in iter(tasks.get, None):
        results.put((index, batch.square().sum(dim=1)))


def start_workers(tasks, results):
    workers = [mp.Process(target=work, args=(tasks, results)) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    return workers


def main():
    tasks, results = mp.SimpleQueue(), mp.SimpleQueue()
    workers = start_workers(tasks, results)
    batches = [torch.full((4, 8), float(index)) for index in range(BATCHES)]
    for task in enumerate(batches):
        tasks.put(task)
    rows = dict(results.get() for _ in batches)
    for _ in workers:
        tasks.put(None)
    for worker in workers:
        worker.join()
    print("sum of all rows:", sum(rows[index].sum().item() for index in range(BATCHES)))


if __name__ == "__main__":
    main()
