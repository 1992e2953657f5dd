"""cupy: the parent has arrays on the device, and a forked worker makes one; the runtime that cupy brings along refuses."""
# expect: cuda-in-forked-child error
# needs: cupy
# frames: prepare Popen._launch train
# says: cupy refused to use CUDA at train
# says: cupy.asnumpy
# prints: cudaErrorInitializationError

import multiprocessing

import cupy


def prepare():
    return cupy.arange(8).sum()


def train():
    try:
        cupy.zeros(8)
    except cupy.cuda.runtime.CUDARuntimeError as refused:
        print(str(refused).split(":")[0], flush=True)


if __name__ == "__main__":
    total = prepare()
    worker = multiprocessing.get_context("fork").Process(target=train)
    worker.start()
    worker.join()
