"""A program ends the worker itself before it collects the tensors: used by test_line.py."""

import threading

import torch
import torch.multiprocessing as mp


def produce(queue, sent):
    for _ in range(3):
        queue.put(torch.ones(256, 1024))
    queue.close()
    queue.join_thread()
    sent.set()
    threading.Event().wait()


def collect(queue):
    try:
        print(queue.get().sum())
    except (FileNotFoundError, ConnectionError):
        print("lost")


if __name__ == "__main__":
    context = mp.get_context("fork")
    queue, sent = context.Queue(), context.Event()
    worker = context.Process(target=produce, args=(queue, sent))
    worker.start()
    sent.wait()
    worker.terminate()
    worker.join()
    collect(queue)
