"""A rank of torch.distributed ends its process group; one more object keeps it alive until the interpreter goes."""
# expect: none
# silent: process-group-not-destroyed
# needs: torch
# prints: done

import os

import torch
import torch.distributed as dist

kept = []


def run(path):
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=0, world_size=1)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
    model(torch.ones(2)).sum().backward()
    kept.append(model)
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.set_num_threads(1)
    run(os.path.join(os.environ.get("TMPDIR", "/tmp"), f"group-{os.getpid()}"))
    print("done")
