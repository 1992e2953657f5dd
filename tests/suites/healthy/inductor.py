"""torch.compile, whose compiler works in subprocesses."""
# needs: torch.compile
import torch


@torch.compile
def curve(tensor):
    return (tensor.sin() + tensor.cos()).sum()


if __name__ == "__main__":
    print("rounded", round(float(curve(torch.ones(1000)))))
