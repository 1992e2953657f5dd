"""Two ranks of gloo; one of them waits for a message of its parent and never comes to the all_reduce of the other."""
# expect: deadlock-cycle error
# or: hang warning
# options: --hang-after 5
# needs: torch
# within: 30
# outside: nothing: whether it was sent anything before, beside a thread of gloo that polls

import multiprocessing
import tempfile

import torch
import torch.distributed


def run(rank, path, orders):
    torch.distributed.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
    if rank == 1:
        orders.get()
    numbers = torch.ones(4)
    torch.distributed.all_reduce(numbers)
    torch.distributed.destroy_process_group()


def main():
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as place:
        orders = context.SimpleQueue()
        ranks = [context.Process(target=run, args=(rank, f"{place}/store", orders)) for rank in range(2)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()


if __name__ == "__main__":
    main()
