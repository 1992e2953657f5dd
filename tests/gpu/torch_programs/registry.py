"""A tensor goes to another process by its name in the registry: torch and cupy take what mpsan.ipc opens."""
# expect: none

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools/python"))

import torch

import mpsan


def consume():
    torch.ones(1, device="cuda")
    with mpsan.ipc.open("weights", (4, 8), "float32") as memory:
        seen = [torch.as_tensor(memory, device="cuda"), torch.from_dlpack(memory)]
        try:
            import cupy
        except ImportError:
            pass
        else:
            seen += [torch.from_dlpack(cupy.asarray(memory)), torch.from_dlpack(cupy.from_dlpack(memory))]
        assert all(tensor.tolist() == torch.arange(32.0).reshape(4, 8).tolist() for tensor in seen), seen
        seen[0].add_(1)
        torch.cuda.synchronize()
        del seen[:]


def main():
    if not mpsan.active():
        print(True)  # there is no registry
        return
    torch.ones(1 << 20, device="cuda")  # the tensor is not at the beginning of the allocator's block
    tensor = torch.arange(32.0, device="cuda").reshape(4, 8)
    torch.cuda.synchronize()
    mpsan.ipc.export(tensor, "weights")
    subprocess.run([sys.executable, __file__, "consume"], check=True)
    print(tensor.tolist() == torch.arange(1.0, 33.0).reshape(4, 8).tolist())


if __name__ == "__main__":
    consume() if sys.argv[1:] else main()
