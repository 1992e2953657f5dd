"""A worker puts tensors into a queue and ends; the parent waits for its end before it collects them."""
# expect: shm-sender-exited error
# says: 3 tensors (3 MiB) not yet fetched
# needs: torch
# prints: lost

import torch
import torch.multiprocessing as mp


def produce(queue):
    for _ in range(3):
        queue.put(torch.ones(256, 1024))


def collect(queue):
    try:
        print(queue.get().sum())
    except (FileNotFoundError, ConnectionError):
        print("lost")


if __name__ == "__main__":
    queue = mp.get_context("fork").Queue()
    worker = mp.get_context("fork").Process(target=produce, args=(queue,))
    worker.start()
    worker.join()
    collect(queue)
