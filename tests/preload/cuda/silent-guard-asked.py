"""Forked children ask whether they were forked, and do without CUDA; a spawned one uses it. The function that they ask
is to the program what it was before."""
# expect: none
# note: cuda-before-fork
# silent: cuda-in-forked-child
# fake: cuda
# prints: True False as it was

import multiprocessing

import torch_guard

cuda = torch_guard.make()
asked = cuda._is_in_bad_fork


def look():
    return hash(asked), repr(asked), asked.__doc__, asked.__self__, asked == cuda._is_in_bad_fork, {asked: 1}[asked]


before = look()


def stay_on_cpu():
    cuda.manual_seed(1)
    print(asked(), cuda.is_initialized(), "as it was" if look() == before else "changed", flush=True)


def train():
    cuda.zeros(4096)


if __name__ == "__main__":
    cuda.zeros(4096)
    for method, target in (("fork", stay_on_cpu), ("spawn", train)):
        worker = multiprocessing.get_context(method).Process(target=target)
        worker.start()
        worker.join()
        assert worker.exitcode == 0
