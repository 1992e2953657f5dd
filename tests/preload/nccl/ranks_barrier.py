"""Three ranks of torch.distributed, two of which reduce once more by NCCL while the last one is in a barrier of gloo."""

import ctypes
import os
import sys
import tempfile

import torch.distributed as dist
import torch.multiprocessing as mp

FLOAT32, SUM, RANKS = 7, 0, 3


class UniqueId(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


def join(nccl, rank):
    unique, comm = UniqueId(), ctypes.c_void_p()
    if rank == 0:
        assert nccl.ncclGetUniqueId(ctypes.byref(unique)) == 0
    ids = [bytes(unique)]
    dist.broadcast_object_list(ids, 0)
    assert nccl.ncclCommInitRank(ctypes.byref(comm), RANKS, UniqueId.from_buffer_copy(ids[0]), rank) == 0
    return comm


def run(rank, path):
    runtime, nccl, stream = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libnccl.so.2"), ctypes.c_void_p()
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=RANKS)
    assert runtime.cudaSetDevice(0) == 0 and runtime.cudaStreamCreate(ctypes.byref(stream)) == 0
    comm = join(nccl, rank)
    for step in range(2):
        if rank == 2 and step == 1:
            dist.barrier()
        assert nccl.ncclAllReduce(None, None, ctypes.c_size_t(4), FLOAT32, SUM, comm, stream) == 0
        assert runtime.cudaStreamSynchronize(stream) == 0
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    sys.exit(mp.spawn(run, (os.path.join(tempfile.mkdtemp(), "meet"),), RANKS))
