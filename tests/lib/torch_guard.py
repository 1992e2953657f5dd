"""For programs under test: `torch.cuda` as far as it guards against forks, over the runtime of cuda_calls. As in torch,
a C function of `torch._C` answers whether this process was forked from one that had CUDA, and _lazy_init() raises."""

import ctypes
import os
import sys
import types

from cuda_calls import RUNTIMES, Runtime, first_of

TEXT = """
import torch._C

_initialized = False
_is_in_bad_fork = torch._C._cuda_isInBadFork


def is_initialized():
    return _initialized and not _is_in_bad_fork()


def is_available():
    torch._C.poison_forks()
    return torch._C._cuda_getDeviceCount(torch._C.number) == 0


def manual_seed(seed):
    if not _is_in_bad_fork():
        _lazy_init()


def _lazy_init():
    global _initialized
    if is_initialized():
        return
    if _is_in_bad_fork():
        raise RuntimeError("Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must "
                           "use the 'spawn' start method")
    torch._C._cuda_init()
    _initialized = True


def zeros(count):
    _lazy_init()
    return torch._C.zeros(count)
"""


class Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.CFUNCTYPE(ctypes.py_object, ctypes.c_void_p,
                                                                         ctypes.c_void_p)),
                ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


NO_ARGUMENTS = 4  # METH_NOARGS
forked = {"poisoned": False, "bad": False}
kept = []


def builtin(name, function):
    method = Method(name.encode(), Method._fields_[1][1](lambda itself, nothing: function()), NO_ARGUMENTS, b"guards")
    kept.append(method)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    return make(ctypes.byref(method), None, None)


def make():
    """Puts the modules torch, torch._C and torch.cuda in place, and returns the last."""
    def poison_forks():
        if not forked["poisoned"]:
            forked["poisoned"] = True
            os.register_at_fork(after_in_child=lambda: forked.update(bad=True))

    def init():
        poison_forks()
        runtime.cudaFree(None)

    runtime = Runtime()
    torch, c, cuda = (types.ModuleType(name) for name in ("torch", "torch._C", "torch.cuda"))
    torch._C, torch.cuda = c, cuda
    c._cuda_isInBadFork = builtin("_cuda_isInBadFork", lambda: forked["bad"])
    c._cuda_getDeviceCount, c.number = first_of(RUNTIMES).cudaGetDeviceCount, ctypes.byref(ctypes.c_int())
    c._cuda_init, c.poison_forks, c.zeros = init, poison_forks, runtime.allocate
    sys.modules.update({"torch": torch, "torch._C": c, "torch.cuda": cuda})
    exec(compile(TEXT, "/somewhere/site-packages/torch/cuda/__init__.py", "exec"), cuda.__dict__)
    return cuda
