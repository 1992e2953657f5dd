"""A producer puts weights on the GPU, sends a handle of them and ends. The consumer goes on with the mapping.

The memory goes with the process that allocated it, whoever has it mapped.
"""
# expect: ipc-producer-exited error
# fake: cuda
# frames: produce consume

import ctypes
import multiprocessing
import sys
import time

BYTES = 1 << 20
LAZY_PEER_ACCESS = 1


class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 64)]


def load_cuda():
    for name in ("libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"):
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            reason = error
    sys.exit(f"no CUDA runtime: {reason}")


def check(result):
    if result:
        sys.exit(f"CUDA error {result}")


def produce(pipe):
    cuda, memory, handle = load_cuda(), ctypes.c_void_p(), Handle()
    check(cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(BYTES)))
    check(cuda.cudaIpcGetMemHandle(ctypes.byref(handle), memory))
    pipe.send_bytes(bytes(handle))
    pipe.recv()  # it is open there


def consume(pipe, gone):
    cuda, memory = load_cuda(), ctypes.c_void_p()
    handle = Handle.from_buffer_copy(pipe.recv_bytes())
    check(cuda.cudaIpcOpenMemHandle(ctypes.byref(memory), handle, LAZY_PEER_ACCESS))
    pipe.send("open")
    gone.wait()
    time.sleep(1.5)  # here it would compute with that memory
    check(cuda.cudaIpcCloseMemHandle(memory))
    pipe.send("done")


def main():
    context = multiprocessing.get_context("fork")  # nobody has touched CUDA yet
    one, other = context.Pipe()
    gone = context.Event()
    producer = context.Process(target=produce, args=(one,))
    consumer = context.Process(target=consume, args=(other, gone))
    producer.start()
    consumer.start()
    producer.join()
    gone.set()
    consumer.join()
    print("both are done")


if __name__ == "__main__":
    main()
