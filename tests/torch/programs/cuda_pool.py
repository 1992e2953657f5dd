"""A task of a Pool computes on the device; its exception arrives at the parent."""
# expect: cuda-in-forked-child error
# fake: cuda
# frames: <module> Popen._launch embed
# says: torch refused to use CUDA at embed
# prints: refused

from cuda_calls import Runtime

runtime = Runtime()  # before torch brings its own

import torch  # noqa: E402
import torch.multiprocessing as mp  # noqa: E402


def embed(item):
    return torch.full((4,), item).to("cuda").cpu()


if __name__ == "__main__":
    torch.cuda.init()
    with mp.get_context("fork").Pool(1) as pool:
        try:
            pool.map(embed, [1, 2])
        except RuntimeError as error:
            print("refused" if "Cannot re-initialize CUDA" in str(error) else error)
