# Tensors are pickled by hand and sent through a pipe: every byte of them goes through it. The same pickled by torch's own
# means sends a descriptor, and an array of NumPy or a small tensor is none of it.
#
# expect: none
# note: tensor-pickled-by-value
# says: by value
# needs: torch
# prints: 0
import os
import pickle
from multiprocessing import Pipe

import torch

PIECES = 3


def child(connection):
    for _ in range(PIECES):
        connection.recv_bytes()
    os._exit(0)


reading, writing = Pipe(duplex=False)
process = os.fork()
if process == 0:
    child(reading)
for _ in range(PIECES):
    writing.send_bytes(pickle.dumps({"batch": torch.ones(100, 100)}))
print(os.waitpid(process, 0)[1])
