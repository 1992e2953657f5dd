"""As numba refuses: its driver module asks for the number of the process, which is not the parent's. Others who ask for
it, and finalizers, do no harm."""
# expect: cuda-in-forked-child error
# fake: cuda
# frames: <module> forked compute
# says: numba refused to use CUDA at compute
# says: _detect_fork()
# says: cuda.gpus included
# not: let_go
# prints: refused other gone

import os
import sys
import types
import weakref

from cuda_calls import Runtime

DRIVER = """
import os


class CudaDriverError(Exception):
    pass


def _getpid():
    return os.getpid()


pid = _getpid()


def _detect_fork():
    if _getpid() != pid:
        raise CudaDriverError("CUDA initialized before forking")
"""
driver = sys.modules["numba.cuda.cudadrv.driver"] = types.ModuleType("numba.cuda.cudadrv.driver")
exec(compile(DRIVER, "/somewhere/site-packages/numba/cuda/cudadrv/driver.py", "exec"), driver.__dict__)


class Array:
    def __init__(self):
        weakref.finalize(self, free)


def free():
    try:
        driver._detect_fork()
    except driver.CudaDriverError:
        print("gone", flush=True)


def compute(array):
    try:
        driver._detect_fork()
    except driver.CudaDriverError:
        print("refused", end=" ", flush=True)


def let_go(array):
    print("other" if os.getpid() == driver._getpid() else "", end=" ", flush=True)
    array.clear()


def forked(run, *arguments):
    child = os.fork()
    if child == 0:
        run(*arguments)
        os._exit(0)
    os.waitpid(child, 0)


if __name__ == "__main__":
    Runtime().allocate(4096)
    arrays = [Array()]
    forked(compute, arrays)
    forked(let_go, arrays)
    os._exit(0)  # the parent's own array stays
