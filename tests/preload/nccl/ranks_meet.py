"""Ranks that look NCCL's functions up by name, as vLLM and CuPy do, and reduce different numbers of elements; or, with
an argument, one that ends before it joins the others."""

import ctypes
import multiprocessing
import os
import sys

FLOAT32, SUM = 7, 0


class UniqueId(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


def run(rank, ranks, ids):
    runtime, nccl = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libnccl.so.2")
    unique, comm, stream = UniqueId(), ctypes.c_void_p(), ctypes.c_void_p()
    assert runtime.cudaSetDevice(0) == 0
    assert runtime.cudaStreamCreate(ctypes.byref(stream)) == 0
    if rank == 0:
        assert nccl.ncclGetUniqueId(ctypes.byref(unique)) == 0
        for _ in range(ranks - 1):
            ids.put(bytes(unique))
    else:
        unique = UniqueId.from_buffer_copy(ids.get())
    assert nccl.ncclCommInitRank(ctypes.byref(comm), ranks, unique, rank) == 0

    def all_reduce(count):
        assert nccl.ncclAllReduce(None, None, ctypes.c_size_t(count), FLOAT32, SUM, comm, stream) == 0

    all_reduce(4)
    assert runtime.cudaStreamSynchronize(stream) == 0
    all_reduce(8 + rank)
    assert runtime.cudaStreamSynchronize(stream) == 0


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    ids = context.SimpleQueue()
    joins = "join" in sys.argv
    started = []
    for rank in range(2 + joins):
        os.environ["RANK"] = str(rank)
        started.append(context.Process(target=print if rank == 2 else run, args=() if rank == 2 else (rank, 2 + joins, ids)))
        started[-1].start()
    for process in started:
        process.join()
