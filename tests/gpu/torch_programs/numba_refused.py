"""numba: the parent has a context, and a forked worker asks for its own; numba compares the numbers of the processes."""
# expect: cuda-in-forked-child error
# needs: numba.cuda
# frames: prepare Popen._launch train
# says: numba refused to use CUDA at train
# says: cuda.gpus included
# prints: CUDA initialized before forking

import multiprocessing

from numba import cuda


def prepare():
    return cuda.current_context()


def train():
    try:
        cuda.current_context().get_memory_info()
    except cuda.cudadrv.error.CudaDriverError as refused:
        print(refused, flush=True)


if __name__ == "__main__":
    context = prepare()
    worker = multiprocessing.get_context("fork").Process(target=train)
    worker.start()
    worker.join()
