"""Two ranks of gloo; one of them waits for a lock that a thread of its parent held at the fork, and the other in the all_reduce."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# needs: torch
# within: 20
# outside: nothing: who held it at the fork, beside a thread of gloo that polls
# watched: fork-orphaned-lock warning or nothing: a thread of gloo that polls may release it

import multiprocessing
import tempfile
import threading

import torch
import torch.distributed

metrics_lock = threading.Lock()


def run(rank, path):
    torch.distributed.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
    if rank == 1:
        with metrics_lock:
            pass
    torch.distributed.all_reduce(torch.ones(4))
    torch.distributed.destroy_process_group()


def publish(begun):
    with metrics_lock:
        begun.set()
        threading.Event().wait()


def main():
    context, begun = multiprocessing.get_context("fork"), threading.Event()
    threading.Thread(target=publish, args=(begun,), daemon=True).start()
    begun.wait()
    with tempfile.TemporaryDirectory() as place:
        ranks = [context.Process(target=run, args=(rank, f"{place}/store")) for rank in range(2)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()


if __name__ == "__main__":
    main()
