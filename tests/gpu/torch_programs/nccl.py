"""DistributedDataParallel over NCCL with one rank, and collectives of its own: nobody waits for anybody."""
# expect: none
# silent: collective-mismatch

import os
import tempfile

import torch
import torch.distributed as dist

if __name__ == "__main__":
    os.environ.setdefault("NCCL_SOCKET_IFNAME", "lo")
    with tempfile.TemporaryDirectory() as place:
        dist.init_process_group("nccl", init_method=f"file://{place}/store", rank=0, world_size=1)
        torch.cuda.set_device(0)
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1, device="cuda"), device_ids=[0])
        for _ in range(3):
            model(torch.ones(4, 8, device="cuda")).sum().backward()
        total = torch.ones(4, device="cuda")
        dist.all_reduce(total)
        dist.barrier()
        torch.cuda.synchronize()
        dist.destroy_process_group()
    print(total.tolist())
