"""The same, but the worker stays until the parent has collected everything."""
# expect: none
# silent: shm-sender-exited
# needs: torch
# prints: 262144
# prints: 262144
# prints: 262144

import torch
import torch.multiprocessing as mp


def produce(queue, collected):
    for _ in range(3):
        queue.put(torch.ones(256, 1024))
    collected.wait()


if __name__ == "__main__":
    context = mp.get_context("fork")
    queue, collected = context.Queue(), context.Event()
    worker = context.Process(target=produce, args=(queue, collected))
    worker.start()
    for _ in range(3):
        print(int(queue.get().sum()))
    collected.set()
    worker.join()
