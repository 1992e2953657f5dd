"""For cuda-in-forked-child-preload.py: a module that asks for CUDA when it is imported."""

from cuda_calls import Runtime

Runtime().allocate(4096)
