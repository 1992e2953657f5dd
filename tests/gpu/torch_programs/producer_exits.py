"""The producer ends when its tensors have arrived, while they are in use."""
# expect: ipc-producer-exited error
# frames: consume

import time

import torch
import torch.multiprocessing as multiprocessing

TENSORS = 5


def produce(queue, done):
    tensors = [torch.full((1 << 16,), float(i), device="cuda") for i in range(TENSORS)]
    for tensor in tensors:
        queue.put(tensor)
    done.wait()


def consume(queue, done):
    kept = [queue.get() for _ in range(TENSORS)]
    done.set()
    time.sleep(4)  # well beyond the end of the producer
    kept.clear()


if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    queue, done = spawn.Queue(), spawn.Event()
    workers = [spawn.Process(target=work, args=(queue, done)) for work in (produce, consume)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
