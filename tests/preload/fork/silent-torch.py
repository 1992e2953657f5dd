# Torch on both sides of a fork that goes well: one thread in the child, no pool in the parent, and a spawned child.
# expect: none
# needs: torch
# prints: nothing
import multiprocessing
import os

import torch


def work():
    return float(torch.ones(1_000_000).sigmoid().sum())


def one_thread():
    torch.set_num_threads(1)
    work()


def run(target, method):
    worker = multiprocessing.get_context(method).Process(target=target)
    worker.start()
    worker.join()
    assert worker.exitcode == 0, worker.exitcode


def used_after_fork():
    torch.set_num_threads(4)
    work()


if __name__ == "__main__":
    torch.set_num_threads(4)
    run(used_after_fork, "fork")
    work()
    run(one_thread, "fork")
    run(used_after_fork, "spawn")
    os._exit(0)
