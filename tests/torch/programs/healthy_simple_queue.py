"""Tensors through SimpleQueue, forth and back: the worker returns the very memory that it got."""
# expect: none
# silent: tensor-pickled-by-value shm-buffer-churn
# needs: torch
# prints: [20.0, 20.0] 0

import torch
import torch.multiprocessing as mp


def work(tasks, results):
    torch.set_num_threads(1)
    for batch in iter(tasks.get, None):
        batch += 1
        results.put(batch)


def main():
    tasks, results = mp.SimpleQueue(), mp.SimpleQueue()
    worker = mp.Process(target=work, args=(tasks, results))
    worker.start()
    buffers = [torch.zeros(10_000).share_memory_() for _ in range(2)]
    for _ in range(20):
        for buffer in buffers:
            tasks.put(buffer)
        for _ in buffers:
            results.get()
    tasks.put(None)
    worker.join()
    print([float(buffer[0]) for buffer in buffers], worker.exitcode)


if __name__ == "__main__":
    main()
