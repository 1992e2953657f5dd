"""Two ranks that look NCCL's functions up by name, as vLLM and CuPy do, and reduce different numbers of elements."""

import ctypes
import multiprocessing

FLOAT32, SUM = 7, 0


class UniqueId(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


def run(rank, ids):
    runtime, nccl = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libnccl.so.2")
    unique, comm, stream = UniqueId(), ctypes.c_void_p(), ctypes.c_void_p()
    assert runtime.cudaSetDevice(0) == 0
    assert runtime.cudaStreamCreate(ctypes.byref(stream)) == 0
    if rank == 0:
        assert nccl.ncclGetUniqueId(ctypes.byref(unique)) == 0
        ids.put(bytes(unique))
    else:
        unique = UniqueId.from_buffer_copy(ids.get())
    assert nccl.ncclCommInitRank(ctypes.byref(comm), 2, unique, rank) == 0

    def all_reduce(count):
        assert nccl.ncclAllReduce(None, None, ctypes.c_size_t(count), FLOAT32, SUM, comm, stream) == 0

    all_reduce(4)
    assert runtime.cudaStreamSynchronize(stream) == 0
    all_reduce(8 + rank)
    assert runtime.cudaStreamSynchronize(stream) == 0


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    ids = context.SimpleQueue()
    ranks = [context.Process(target=run, args=(rank, ids)) for rank in range(2)]
    for process in ranks:
        process.start()
    for process in ranks:
        process.join()
