"""The parent has the device; forked workers seed and ask, and stay on the CPU; a spawned one uses it."""
# expect: none
# note: cuda-before-fork
# silent: cuda-in-forked-child cuda-stale-query worker-failed
# fake: cuda
# prints: 28 False None

import pickle

from cuda_calls import Runtime

runtime = Runtime()  # before torch brings its own

import torch  # noqa: E402
import torch.multiprocessing as mp  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402


asked = torch.cuda._is_in_bad_fork
before = hash(asked)


def seed():
    torch.manual_seed(1)
    torch.cuda.manual_seed_all(1)
    assert torch.cuda._is_in_bad_fork() and not torch.cuda.is_initialized()
    assert {torch._C._cuda_isInBadFork: 1}[asked] and hash(asked) == before
    assert pickle.loads(pickle.dumps(asked)) is asked


def train():
    torch.cuda.init()
    torch.empty(4, device="cuda")


if __name__ == "__main__":
    torch.cuda.init()
    loader = DataLoader(TensorDataset(torch.arange(8)), batch_size=2, num_workers=2, worker_init_fn=torch.manual_seed)
    total = sum(int(batch[0].sum()) for batch in loader)
    for method, target in (("fork", seed), ("spawn", train)):
        worker = mp.get_context(method).Process(target=target)
        worker.start()
        worker.join()
        assert worker.exitcode == 0, method
    print(total, torch.cuda._is_in_bad_fork(), torch.cuda._lazy_init())
