"""A Pool of torch.multiprocessing that sends tensors both ways."""
# needs: torch
# args: fork
# args: spawn
import sys

import torch
import torch.multiprocessing as mp


def double(tensor):
    return tensor * 2


if __name__ == "__main__":
    with mp.get_context(sys.argv[1]).Pool(2) as pool:
        results = pool.map(double, [torch.full((100,), float(index)) for index in range(16)])
        print("sum", float(sum(result.sum() for result in results)))
        pool.close()
        pool.join()
