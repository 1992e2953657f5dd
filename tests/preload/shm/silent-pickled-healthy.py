# What goes through pipes beside tensors by value: arrays of NumPy, small tensors, text that speaks of tensors, and tensors
# that are sent as they should be.
#
# expect: none
# silent: tensor-pickled-by-value
# needs: torch
# prints: 40000.0
import pickle

import numpy
import torch
import torch.multiprocessing as mp


def child(queue, done, connection):
    connection.recv_bytes()
    connection.recv_bytes()
    connection.recv_bytes()
    done.put(float(queue.get().sum()))


if __name__ == "__main__":
    context = mp.get_context("fork")
    queue, done = context.SimpleQueue(), context.SimpleQueue()
    reading, writing = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(queue, done, reading))
    process.start()
    writing.send_bytes(pickle.dumps(numpy.ones((200, 200))))
    writing.send_bytes(pickle.dumps(torch.ones(4)))
    writing.send_bytes(b"torch._utils _rebuild_tensor _load_from_bytes " * 1000)
    queue.put(torch.ones(200, 200))
    print(done.get())
    process.join()
