"""A pipeline of four processes that pass tensors with names in /dev/shm: the parent makes batches, two stages change
them and pass them on, and the last collects. Whoever loses a neighbour ends. Run by test_ledger.py, which kills one.

usage: ledger_pipeline.py BATCHES
"""

import os
import sys
from multiprocessing.connection import wait

import torch
import torch.multiprocessing as mp

WINDOW = 4  # batches under way
POLL_S = 0.05  # how long until an orphan notices


def receive(queue):
    """The next batch; None when the parent is gone."""
    parent = os.getppid()
    while not queue._reader.poll(POLL_S):
        if os.getppid() != parent:
            return None
    return queue.get()


def stage(source, sink):
    torch.set_num_threads(1)
    while True:
        batch = receive(source)
        sink.put(None if batch is None else batch + 1)
        if batch is None:
            return


def collect(source, acknowledged):
    torch.set_num_threads(1)
    while True:
        batch = receive(source)
        acknowledged.put(None if batch is None else int(batch[0]))
        if batch is None:
            return


def run(batches, first, acknowledged, processes):
    """Feeds the pipeline until all is through or somebody is gone."""
    sent = received = 0
    while received < batches:
        while sent < batches and sent - received < WINDOW:
            first.put(torch.full((2000,), float(sent)))
            sent += 1
        ready = wait([acknowledged._reader, *(process.sentinel for process in processes)])
        if acknowledged._reader not in ready:
            return False
        acknowledged.get()
        received += 1
    first.put(None)
    return True


def main():
    mp.set_sharing_strategy("file_system")
    queues = [mp.SimpleQueue() for _ in range(4)]
    stages = (stage, stage, collect)
    processes = [mp.Process(target=work, args=queues[at:at + 2], name=f"stage {at}") for at, work in enumerate(stages)]
    for process in processes:
        process.start()
    print("runs", flush=True)
    whole = run(int(sys.argv[1]), queues[0], queues[3], processes)
    for process in processes if not whole else ():
        process.terminate()
    for process in processes:
        process.join()
    sys.exit(not whole)


if __name__ == "__main__":
    main()
