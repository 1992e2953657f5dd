"""Tensors go through a queue, are read and dropped; the producer waits: as the documentation says."""
# expect: none
# silent: ipc-producer-exited ipc-consumer-killed ipc-never-opened

import torch
import torch.multiprocessing as multiprocessing

TENSORS = 5


def produce(queue, done):
    tensors = [torch.full((1 << 16,), float(i), device="cuda") for i in range(TENSORS)]
    for tensor in tensors:
        queue.put(tensor)
    done.wait()


def consume(queue, done):
    for i in range(TENSORS):
        tensor = queue.get()
        assert float(tensor.sum()) == i * (1 << 16)
        del tensor
    done.set()


if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    queue, done = spawn.Queue(), spawn.Event()
    workers = [spawn.Process(target=work, args=(queue, done)) for work in (produce, consume)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
