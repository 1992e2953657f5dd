"""A parent asks how much memory its GPU has, and with that initialises CUDA; then it starts a worker by fork.

The driver does not survive a fork: the worker's first call fails with "initialization error", whatever it is.
"""
# expect: cuda-in-forked-child error
# fake: cuda
# frames: main work

import ctypes
import multiprocessing
import sys


def load_cuda():
    for name in ("libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"):
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            reason = error
    sys.exit(f"no CUDA runtime: {reason}")


def work():
    cuda, memory = load_cuda(), ctypes.c_void_p()
    print("worker: cudaMalloc returned", cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(1 << 20)))


def main():
    cuda, free, total = load_cuda(), ctypes.c_size_t(), ctypes.c_size_t()
    print("parent: cudaMemGetInfo returned", cuda.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)), flush=True)
    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    worker.join()


if __name__ == "__main__":
    main()
