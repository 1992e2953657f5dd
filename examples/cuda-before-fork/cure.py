"""The cure for hazard.py: the worker is started by spawn, a new program that initialises CUDA for itself."""
# expect: none
# fake: cuda

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
    worker = multiprocessing.get_context("spawn").Process(target=work)
    worker.start()
    worker.join()


if __name__ == "__main__":
    main()
