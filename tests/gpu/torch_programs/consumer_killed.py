"""The consumer is killed with tensors open: their producer keeps them for ever."""
# expect: ipc-consumer-killed error
# frames: consume
# may: worker-failed warning

import os
import signal
import time

import torch
import torch.multiprocessing as multiprocessing

TENSORS = 5


def produce(queue, done):
    tensors = [torch.full((1 << 16,), float(i), device="cuda") for i in range(TENSORS)]
    for tensor in tensors:
        queue.put(tensor)
    done.wait()
    time.sleep(3)  # longer than what counts as ending together


def consume(queue, done):
    kept = [queue.get() for _ in range(TENSORS)]
    done.set()
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    queue, done = spawn.Queue(), spawn.Event()
    workers = [spawn.Process(target=work, args=(queue, done)) for work in (produce, consume)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
