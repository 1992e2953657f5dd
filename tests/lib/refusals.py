"""For programs under test: frameworks as far as they refuse by an exception in a forked child, without a call that
could be seen. Their functions are in files, and call each other, as the real ones do."""

import os
import sys
import types

RUNTIME = """
import os

pid = os.getpid()


class CUDARuntimeError(RuntimeError):
    def __init__(self, status):
        super().__init__("cudaErrorInitializationError: initialization error")
        self.status = status

    def __reduce__(self):
        return type(self), (self.status,)


def check_status():
    if os.getpid() != pid:
        raise CUDARuntimeError(3)


def getDevice():
    check_status()


def setDevice():
    check_status()


def free():
    check_status()
"""

DEVICE = """
from cupy_backends.cuda.api import runtime


class Device:
    def __enter__(self):
        runtime.getDevice()

    def __exit__(self, *raised):
        pass

    def use(self):
        runtime.setDevice()

    def id(self):
        runtime.getDevice()
"""

CORE = """
from cupy_backends.cuda.api import runtime


class ndarray:
    made = False

    def __init__(self):
        runtime.getDevice()
        self.made = True

    def __del__(self):
        try:
            self.made and runtime.free()
        except RuntimeError:
            print("gone", flush=True)
"""

COLUMN = """
import os

pid = os.getpid()


def from_pandas():
    if os.getpid() != pid:
        raise MemoryError("std::bad_alloc: CUDA error at: /somewhere/include/rmm/mr/device/cuda_memory_resource.hpp:66: "
                          "cudaErrorInitializationError initialization error")


def read():
    if os.getpid() != pid:
        raise RuntimeError("CUDA error at: /somewhere/include/rmm/mr/device/per_device_resource.hpp:134: "
                           "cudaErrorInitializationError initialization error")
"""

LAZY = """
import os

bad = False


def fork_is_bad():
    global bad
    bad = True


os.register_at_fork(after_in_child=fork_is_bad)


def _is_in_bad_fork():
    return bad


def _lazy_init():
    if _is_in_bad_fork():
        raise RuntimeError("Cannot re-initialize DEVICE in forked subprocess. To use DEVICE with multiprocessing, you must "
                           "use the 'spawn' start method")


def synchronize():
    _lazy_init()
"""


def module(name, text, file):
    made = types.ModuleType(name)
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules.get(parent) or module(parent, "", f"{parent}.py"), last, made)
    sys.modules[name] = made
    exec(compile(text, file, "exec"), made.__dict__)
    return made


def cupy():
    """Compiled functions have names with their module's, and files relative to where they were compiled."""
    made = module("cupy_backends.cuda.api.runtime", RUNTIME, "cupy_backends/cuda/api/runtime.pyx")
    module("cupy", "", "/somewhere/cupy/__init__.py")
    module("cupy.cuda.device", DEVICE, "cupy/cuda/device.pyx")
    sys.modules["cupy.cuda"].runtime, sys.modules["cupy.cuda"].Device = made, sys.modules["cupy.cuda.device"].Device
    sys.modules["cupy"].ndarray = module("cupy._core.core", CORE, "cupy/_core/core.pyx").ndarray
    return sys.modules["cupy"]


def cudf():
    return module("cudf", COLUMN, "cudf/_lib/column.pyx")


def torch_device(name, file, device=None):
    return module(name, LAZY.replace("DEVICE", device or os.path.basename(os.path.dirname(file)).upper()), file)
