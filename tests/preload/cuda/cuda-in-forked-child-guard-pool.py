"""The same in a grandchild, which a Pool of a worker has; its parent gets the exception."""
# expect: cuda-in-forked-child error
# may: nested-workers note
# fake: cuda
# frames: prepare Popen._launch embed
# says: torch refused to use CUDA at embed
# prints: Cannot re-initialize CUDA in forked subprocess

import multiprocessing

import torch_guard

cuda = torch_guard.make()
fork = multiprocessing.get_context("fork")


def prepare():
    cuda.zeros(4096)


def embed(item):
    return cuda.zeros(item)


def engine():
    with fork.Pool(1) as pool:
        try:
            pool.map(embed, [4096])
        except RuntimeError as refused:
            print(str(refused).split(".")[0], flush=True)


if __name__ == "__main__":
    prepare()
    worker = fork.Process(target=engine)
    worker.start()
    worker.join()
