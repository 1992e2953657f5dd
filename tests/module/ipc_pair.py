"""Memory that one process exports by name, and another one opens: `ipc_pair.py` starts both; prints what the second one has."""

import ctypes
import os
import subprocess
import sys

from cuda_calls import Runtime

import mpsan

CONTENT = bytes(range(96))


class Capsule(ctypes.Structure):
    """DLManagedTensor, as consumers read it."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


def take(capsule):
    """The tensor in it, as a consumer takes it; its deleter is called."""
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
    at = pointer(capsule, b"dltensor")
    tensor = Capsule.from_address(at)
    taken = (tensor.data, (tensor.device_type, tensor.device_id), (tensor.code, tensor.bits, tensor.lanes),
             tensor.shape[:tensor.ndim], tensor.strides[:tensor.ndim])
    tensor.deleter(at)
    return taken


def refused(call, *arguments):
    try:
        call(*arguments)
    except (OSError, ValueError, TypeError) as error:
        return type(error).__name__
    return "accepted"


def consume(pid, address):
    runtime = Runtime()
    runtime.cudaFree(0)  # creates the context
    found = mpsan.ipc.find("weights")
    assert found == mpsan.ipc.find(pid, found.base) and found.pid == pid and found.bytes >= 96 and found.name == "weights", found
    inside = mpsan.ipc.find(pid, address + 32)
    assert inside.offset == 32 and mpsan.ipc.find("nobody") is None and mpsan.ipc.find(pid, 0x1234) is None
    with mpsan.ipc.open("weights", (2, 3, 4), "float32") as memory, mpsan.ipc.open(inside) as rest:
        interface = memory.__cuda_array_interface__
        assert (interface["shape"], interface["typestr"], interface["data"][1]) == ((2, 3, 4), "<f4", False), interface
        assert runtime.read(interface["data"][0], 96) == CONTENT
        assert runtime.read(rest.__cuda_array_interface__["data"][0], 64) == CONTENT[32:]
        assert memory.__dlpack_device__() == (2, 0)
        assert take(memory.__dlpack__()) == (interface["data"][0], (2, 0), (2, 32, 1), [2, 3, 4], [12, 4, 1])
        print(memory, rest.shape)
    print(refused(memory.__dlpack__), refused(mpsan.ipc.open, "nobody"), refused(mpsan.ipc.open, "weights", (1 << 40,)),
          refused(mpsan.ipc.open, "weights", None, "string"))


def main():
    runtime = Runtime()
    address = runtime.allocate(96)
    runtime.write(address, CONTENT)
    assert mpsan.ipc.export(address, "weights")
    print(refused(mpsan.ipc.export, 0x1234, "nothing"), refused(mpsan.ipc.export, object(), "nothing"), flush=True)
    subprocess.run([sys.executable, __file__, str(os.getpid()), str(address)], check=True)
    runtime.free(address)


if len(sys.argv) > 1:
    consume(*map(int, sys.argv[1:]))
else:
    main()
