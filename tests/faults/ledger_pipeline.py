"""A pipeline of four processes that pass shared memory with names: the parent makes batches, two stages change them and
pass them on, and the last takes them out. Whoever loses a neighbour ends. Run by test_ledger.py, which kills one.

usage: ledger_pipeline.py tensors|blocks BATCHES PREFIX
"""

import multiprocessing
import os
import sys
from multiprocessing import resource_tracker, shared_memory
from multiprocessing.connection import wait

WINDOW = 4  # batches under way
POLL_S = 0.05  # how long until an orphan notices


class Tensors:
    """Torch's own way: the memory goes with its last user."""

    def __init__(self, prefix):
        import torch
        import torch.multiprocessing
        torch.multiprocessing.set_sharing_strategy("file_system")
        self.torch = torch

    def make(self, number):
        return self.torch.full((2000,), float(number))

    def change(self, tensor):
        return tensor + 1

    def take(self, tensor):
        return int(tensor[0])


class Blocks:
    """SharedMemory by its name: the last stage removes it."""

    def __init__(self, prefix):
        self.prefix = prefix
        resource_tracker.ensure_running()  # one for all

    def make(self, number):
        block = shared_memory.SharedMemory(f"{self.prefix}{number}", create=True, size=8000)
        block.close()
        return block.name

    def change(self, name):
        block = shared_memory.SharedMemory(name)
        block.buf[0] += 1
        block.close()
        return name

    def take(self, name):
        block = shared_memory.SharedMemory(name)
        value = block.buf[0]
        block.close()
        block.unlink()
        return value


def receive(queue, parent):
    """The next batch; None when the parent is gone."""
    while not queue._reader.poll(POLL_S):
        if os.getppid() != parent:
            return None
    return queue.get()


def stage(work, source, sink, parent):
    while True:
        batch = receive(source, parent)
        sink.put(None if batch is None else work(batch))
        if batch is None:
            return


def run(make, batches, first, last, processes):
    """Feeds the pipeline until all is through or somebody is gone."""
    sent = received = 0
    while received < batches:
        while sent < batches and sent - received < WINDOW:
            first.put(make(sent))
            sent += 1
        ready = wait([last._reader, *(process.sentinel for process in processes)])
        if last._reader not in ready:
            return False
        last.get()
        received += 1
    first.put(None)
    return True


def main(kind, batches, prefix):
    way = {"tensors": Tensors, "blocks": Blocks}[kind](prefix)
    queues = [multiprocessing.SimpleQueue() for _ in range(4)]
    stages = (way.change, way.change, way.take)
    processes = [multiprocessing.Process(target=stage, name=f"stage {at}", args=(work, *queues[at:at + 2], os.getpid()))
                 for at, work in enumerate(stages)]
    for process in processes:
        process.start()
    print("runs", flush=True)
    whole = False
    try:
        whole = run(way.make, int(batches), queues[0], queues[3], processes)
    finally:
        for process in processes:  # each hands the end on to the next, unless it is killed before
            if not whole:
                process.terminate()
            process.join()
            whole = whole and process.exitcode == 0
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
