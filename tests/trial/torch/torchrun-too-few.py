"""torchrun starts three ranks of gloo; one leaves the loop a step early, and is in the barrier while the others are in the all_reduce."""
# expect: collective-mismatch warning
# says: ranks 0 and 1 wait in all_reduce \(torchrun-too-few.py:27\); rank 2 waits in barrier \(torchrun-too-few.py:28\)
# needs: torch
# within: 50

import os
import socket
import sys


def launch():
    """Becomes torchrun. Python 3.11 lost torch 1.13's preset of -r and -t; the preset port may be somebody else's."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    os.execv(sys.executable, [sys.executable, "-m", "torch.distributed.run", "-r", "1", "-t", "1", "--log_dir", "logs",
                              "--monitor_interval", "100", f"--master_port={port}", "--nproc_per_node=3", __file__])


def train():
    import torch.distributed
    torch.distributed.init_process_group("gloo")
    for batch in range(3):
        if torch.distributed.get_rank() == 2 and batch == 2:
            break  # its share of the data is smaller
        torch.distributed.all_reduce(torch.ones(4))
    torch.distributed.barrier()


if __name__ == "__main__":
    if "RANK" in os.environ:
        train()
    else:
        launch()
