"""One of the ranks of gloo, numbered by its environment: rank 2 is in the barrier, the others are in the all_reduce."""
import torch
import torch.distributed

torch.distributed.init_process_group("gloo")
torch.distributed.barrier()
if torch.distributed.get_rank() == 2:
    torch.distributed.barrier()
torch.distributed.all_reduce(torch.ones(4))
