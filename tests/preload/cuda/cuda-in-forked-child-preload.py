"""No cure: the fork server imports a module that asks for CUDA, and its workers are copies of the server."""
# expect: cuda-in-forked-child error
# may: fork-server-threads warning
# says: which must not initialise CUDA
# says: cuda_asks.py
# frames: train
# fake: cuda

import multiprocessing
import os

from cuda_calls import Refused, Runtime


def train():
    try:
        Runtime().allocate(4096)
    except Refused as refused:
        print(refused)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    os.environ["PYTHONPATH"] = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])  # for the server
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["cuda_asks"])
    worker = context.Process(target=train)
    worker.start()
    worker.join()
    print(worker.exitcode)
