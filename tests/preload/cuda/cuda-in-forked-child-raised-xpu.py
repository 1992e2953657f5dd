"""Another device of torch, which guards like CUDA: the exception says by itself that the device was in use before."""
# expect: cuda-in-forked-child error
# may: worker-failed warning
# fake: cuda
# pythons: all
# frames: _launch train
# says: torch refused to use XPU at train
# says: _lazy_init()
# says: touch the device in the children only

import multiprocessing

import refusals

xpu = refusals.torch_device("torch.xpu", "/somewhere/site-packages/torch/xpu/__init__.py")


def train():
    xpu.synchronize()


if __name__ == "__main__":
    worker = multiprocessing.get_context("fork").Process(target=train)
    worker.start()
    worker.join()
    assert worker.exitcode == 1
