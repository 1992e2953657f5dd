"""The same as weights.c from Python, with nothing but ctypes.

The functions of include/mpsan.h are there by their names when mpsan is preloaded. The producer names its
memory, the consumer finds it by that name, maps it and reads what the producer wrote.
"""
# expect: none
# fake: cuda

import ctypes
import errno
import multiprocessing
import os
import sys
import time

COUNT = 4096
NAME = b"example weights of Python"
TO_DEVICE, TO_HOST = 1, 2


class Export(ctypes.Structure):
    """struct mpsan_export"""
    _fields_ = [("pid", ctypes.c_int32), ("device", ctypes.c_int32), ("base", ctypes.c_uint64),
                ("bytes", ctypes.c_uint64), ("offset", ctypes.c_uint64), ("born_ns", ctypes.c_uint64),
                ("handle", ctypes.c_uint64), ("gpu", ctypes.c_uint64), ("owner", ctypes.c_uint32),
                ("kind", ctypes.c_uint32), ("name", ctypes.c_char * 32), ("spare", ctypes.c_uint64 * 8)]


mpsan = ctypes.CDLL(None)
Weights = ctypes.c_float * COUNT


def load_cuda():
    for name in ("libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"):
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            reason = error
    sys.exit(f"no CUDA runtime: {reason}")


def check(result, what):
    if result:
        sys.exit(f"{what}: {os.strerror(-result) if result < 0 else f'CUDA error {result}'}")


def produce(enough):
    """Keeps the weights until it is told that it was enough."""
    cuda, memory = load_cuda(), ctypes.c_void_p()
    weights = Weights(*(0.5 * i for i in range(COUNT)))
    check(cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(ctypes.sizeof(weights))), "cudaMalloc")
    check(cuda.cudaMemcpy(memory, weights, ctypes.c_size_t(ctypes.sizeof(weights)), TO_DEVICE), "cudaMemcpy")
    if hasattr(mpsan, "mpsan_ipc_name"):
        check(mpsan.mpsan_ipc_name(memory, NAME), "mpsan_ipc_name")
    enough.wait()
    check(cuda.cudaFree(memory), "cudaFree")


def find():
    """The producer may not have come so far yet."""
    found = Export()
    while (result := mpsan.mpsan_ipc_find_name(NAME, ctypes.byref(found))) == -errno.ENOENT:
        time.sleep(0.005)
    check(result, "mpsan_ipc_find_name")
    return found


def consume():
    if not hasattr(mpsan, "mpsan_ipc_find_name"):
        print("consumer: there is no registry without mpsan", file=sys.stderr)
        return
    cuda, memory, weights = load_cuda(), ctypes.c_void_p(), Weights()
    found = find()
    check(mpsan.mpsan_ipc_open(ctypes.byref(found), ctypes.byref(memory)), "mpsan_ipc_open")
    check(cuda.cudaMemcpy(weights, memory, ctypes.c_size_t(ctypes.sizeof(weights)), TO_HOST), "cudaMemcpy")
    right = list(weights) == [0.5 * i for i in range(COUNT)]
    print(f"consumer: {found.bytes} bytes of process {found.pid} are {'right' if right else 'wrong'}", file=sys.stderr)
    check(mpsan.mpsan_ipc_close(memory), "mpsan_ipc_close")
    sys.exit(not right)


def main():
    context = multiprocessing.get_context("fork")  # nobody has touched CUDA yet
    enough = context.Event()
    producer, consumer = context.Process(target=produce, args=(enough,)), context.Process(target=consume)
    consumer.start()
    producer.start()
    consumer.join()
    enough.set()
    producer.join()
    sys.exit(consumer.exitcode or producer.exitcode)


if __name__ == "__main__":
    main()
