"""A child of os.fork() beside torch that ends by sys.exit()."""
# needs: torch
import os
import sys

import torch

if __name__ == "__main__":
    torch.set_num_threads(1)
    child = os.fork()
    if child == 0:
        sys.exit(0)
    print("status", os.waitpid(child, 0)[1])
