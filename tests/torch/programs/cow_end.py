"""Workers of a parent that has loaded torch, as gunicorn --preload makes them: 1 MiB of their own while they work, 100 MiB
once their interpreter was taken down."""
# expect: none
# note: cow-growth
# says: when they ended
# needs: torch
# prints: 0
import os
import sys

import torch

pid = os.fork()
if pid == 0:
    sys.exit(float(torch.zeros(1)) != 0)
print(os.waitpid(pid, 0)[1])
