"""In Python: os.environ is changed when the driver has read it already."""
# expect: cuda-visible-devices-late warning
# fake: cuda 2
# frames: choose

import os

from cuda_calls import Runtime


def choose():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


if __name__ == "__main__":
    runtime = Runtime()
    runtime.allocate(4096)
    choose()
    print(runtime.devices())
