"""A worker was told to stop, and its parent lives on with the queue, but never takes what is left in it."""
# expect: shm-sender-exited warning
# needs: torch
# prints: 256

import time

import torch
import torch.multiprocessing as mp

torch.set_num_threads(1)


def put(queue, stop):
    for _ in range(4):
        queue.put(torch.ones(256))
    stop.wait()


if __name__ == "__main__":
    context = mp.get_context("fork")
    queue, stop = context.Queue(), context.Event()
    worker = context.Process(target=put, args=(queue, stop))
    worker.start()
    print(int(queue.get().sum()))
    stop.set()
    worker.join()
    time.sleep(3)  # it goes on for longer than it takes to end
