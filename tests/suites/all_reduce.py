"""What torchrun starts in test_torchrun.py: two ranks add up."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
tensor = torch.ones(1) * (dist.get_rank() + 1)
dist.all_reduce(tensor)
print(f"rank {dist.get_rank()} has {tensor.item()}")
dist.destroy_process_group()
