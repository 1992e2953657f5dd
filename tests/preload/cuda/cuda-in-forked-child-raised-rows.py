"""Each other row of mpsan_guards.def that an exception tells, in a child of its own."""
# expect: cuda-in-forked-child error
# fake: cuda
# says: cupy refused to use CUDA at enter
# says: cupy refused to use CUDA at use
# says: RAPIDS refused to use CUDA at read
# says: torch refused to use MTIA at on_mtia
# says: torch_npu refused to use NPU at on_npu
# says: torch_musa refused to use MUSA at on_musa
# says: torch_mlu refused to use MLU at on_mlu
# not: done

import os
import traceback

import refusals
from cuda_calls import Runtime

PACKAGES = "/somewhere/site-packages"
cupy, cudf = refusals.cupy(), refusals.cudf()


def device(name, file):
    return refusals.torch_device(name, f"{PACKAGES}/{file}", name.partition("_")[2].partition(".")[0].upper() or "MTIA")


mtia = device("torch.mtia", "torch/mtia/__init__.py")
npu = device("torch_npu.npu", "torch_npu/npu/__init__.py")
musa = device("torch_musa.core._lazy_init", "torch_musa/core/_lazy_init.py")
mlu = device("torch_mlu.mlu", "torch_mlu/mlu/__init__.py")


def enter():
    with cupy.cuda.Device():
        pass


def use():
    cupy.cuda.Device().use()


def read():
    cudf.read()


def on_mtia():
    mtia.synchronize()


def on_npu():
    npu.synchronize()


def on_musa():
    musa.synchronize()


def on_mlu():
    mlu.synchronize()


def forked(run):
    child = os.fork()
    if child == 0:
        try:
            run()
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def done():
    forked(lambda: cupy.cuda.Device().id())


if __name__ == "__main__":
    Runtime().allocate(4096)
    for run in (enter, use, read, on_mtia, on_npu, on_musa, on_mlu):
        forked(run)
    done()
