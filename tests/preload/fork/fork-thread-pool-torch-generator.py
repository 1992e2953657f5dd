# A generator in a forked child is asked for batches through a pipe; both sides have made zeros (pytorch/pytorch#41197).
# expect: fork-thread-pool error
# frames: generate
# says: the thread pool of libgomp
# ends: never
# needs: torch
import multiprocessing

import torch


def generate(connection):
    while connection.recv():
        connection.send(torch.zeros(152 * 4, 168 * 4).sum().item())


def ask(connection):
    connection.send(True)
    return connection.recv()


if __name__ == "__main__":
    torch.set_num_threads(4)
    torch.zeros(152 * 4, 168 * 4)
    context = multiprocessing.get_context("fork")
    own, its = context.Pipe()
    worker = context.Process(target=generate, args=(its,))
    worker.start()
    its.close()
    print(ask(own))
    own.send(False)
    worker.join()
