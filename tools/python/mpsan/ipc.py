# SPDX-License-Identifier: Apache-2.0
"""Device memory of other processes, by its name or address, without a message between them.

    mpsan.ipc.export(tensor, "weights")                               # the process that has it
    with mpsan.ipc.open("weights", (1024, 64), "float32") as memory:  # another one, started under the same mpsan run
        tensor = torch.as_tensor(memory, device="cuda")               # or cupy.asarray, torch.from_dlpack

Errors are OSErrors with the errno of mpsan.h. Where the library is not loaded, export() returns False, find() and open()
return None.
"""

import ctypes
import errno
import os
import re
from dataclasses import dataclass, fields
from typing import Any, Dict, Optional, Sequence, Tuple, Union

from . import _library

__all__ = ["Export", "Memory", "export", "find", "open"]

_CUDA = 2  # kDLCUDA
_DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
_CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}  # DLDataTypeCode
_KINDS = {"i": "int", "u": "uint", "f": "float", "c": "complex", "b": "bool"}  # as in a typestr
_CAPSULE = b"dltensor"  # a capsule keeps the pointer to its name


@dataclass(frozen=True)
class Export:
    """Exported memory, as struct mpsan_export in mpsan.h: numbers, which may be sent to another process."""

    pid: int
    device: int
    base: int
    bytes: int
    offset: int
    born_ns: int
    handle: int
    gpu: int
    owner: int
    kind: int
    name: str


class _Export(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_int32), ("device", ctypes.c_int32), ("base", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("offset", ctypes.c_uint64), ("born_ns", ctypes.c_uint64), ("handle", ctypes.c_uint64),
                ("gpu", ctypes.c_uint64), ("owner", ctypes.c_uint32), ("kind", ctypes.c_uint32),
                ("name", ctypes.c_char * 32), ("spare", ctypes.c_uint64 * 8)]


class _Tensor(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


def export(memory: Any, name: str) -> bool:
    """Names memory of this process, so that others find it: a tensor, an array, or an address as a number."""
    library = _library.loaded("mpsan.ipc.export()")
    if library is None:
        return False
    _check(library.mpsan_ipc_name(ctypes.c_void_p(_pointer(memory)), name.encode()), name)
    return True


def find(what: Union[str, int], address: Optional[int] = None) -> Optional[Export]:
    """find(name), or find(pid, address): the allocation that contains this address of that process. None: no such memory."""
    library = _library.loaded("mpsan.ipc.find()")
    if library is None:
        return None
    found = _Export()
    if isinstance(what, str):
        answer = library.mpsan_ipc_find_name(what.encode(), ctypes.byref(found))
    else:
        answer = library.mpsan_ipc_find(what, ctypes.c_void_p(address), ctypes.byref(found))
    if answer in (-errno.ENOENT, -errno.ESRCH):
        return None
    _check(answer, str(what))
    values = {field.name: getattr(found, field.name) for field in fields(Export)}
    return Export(**{**values, "name": found.name.decode(errors="replace")})


def open(what: Union[str, Export], shape: Optional[Sequence[int]] = None, dtype: Any = "uint8") -> "Optional[Memory]":
    """Maps exported memory into this process, on the current device, as an array of this shape and type.

    Without `shape` it has one dimension, to the end of the allocation. `dtype` is a name ("float32", "bfloat16"), a typestr
    ("<f4"), or a dtype of torch, numpy or cupy.
    """
    library = _library.loaded("mpsan.ipc.open()")
    if library is None:
        return None
    found = find(what) if isinstance(what, str) else what
    if found is None:
        raise ProcessLookupError(errno.ESRCH, "no living process has exported memory of that name", what)
    code, bits = _type(dtype)
    room = (found.bytes - found.offset) * 8 // bits
    dimensions = (room,) if shape is None else tuple(map(int, shape))
    elements = 1
    for length in dimensions:
        elements *= length
    if min(dimensions, default=0) < 0 or elements > room:
        raise ValueError(f"shape {dimensions} of {dtype} does not fit into {found.bytes - found.offset} bytes")
    wanted = _Export(**{**{field.name: getattr(found, field.name) for field in fields(Export)}, "name": found.name.encode()[:31]})
    pointer = ctypes.c_void_p()
    _check(library.mpsan_ipc_open(ctypes.byref(wanted), ctypes.byref(pointer)), found.name or hex(found.base))
    return Memory(library, pointer.value or 0, found, dimensions, (code, bits))


class Memory:
    """Memory of another process, mapped until close(). torch.as_tensor(memory, device="cuda"), torch.from_dlpack,
    cupy.asarray and others take it without a copy; none of these may be used after close()."""

    def __init__(self, library: Any, pointer: int, exported: Export, shape: Tuple[int, ...], kind: Tuple[str, int]) -> None:
        self._library = library
        self._kind = kind
        self.pointer = pointer
        self.export = exported
        self.shape = shape

    def __enter__(self) -> "Memory":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<mpsan.ipc.Memory {self.export.name!r} of PID {self.export.pid}, {self._kind[0]}{self._kind[1]}{list(self.shape)}>"

    def close(self) -> None:
        """Unmaps it, unless it was opened again. A second call does nothing."""
        pointer, self.pointer = self.pointer, 0
        if pointer:
            _check(self._library.mpsan_ipc_close(ctypes.c_void_p(pointer)), self.export.name)

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        code, bits = self._kind
        letter = next((letter for letter, name in _KINDS.items() if name == code), None)
        if letter is None:
            raise AttributeError(f"{code}{bits} has no typestr: use DLPack")
        return {"version": 3, "shape": self.shape, "strides": None, "stream": None, "data": (self._open(), False),
                "typestr": f"{'|' if bits == 8 else '<'}{letter}{bits // 8}"}

    def __dlpack_device__(self) -> Tuple[int, int]:
        ordinal = ctypes.c_int(0)
        driver = ctypes.CDLL("libcuda.so.1")
        if driver.cuPointerGetAttribute(ctypes.byref(ordinal), _DEVICE_ORDINAL, ctypes.c_uint64(self._open())):
            raise BufferError("the driver does not know this memory")
        return _CUDA, ordinal.value

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Optional[bool] = None) -> Any:
        kind = self.__dlpack_device__()
        if copy or (dl_device is not None and tuple(map(int, dl_device)) != kind):
            raise BufferError("memory of another process is not copied, nor moved to another device")
        return _capsule(self._open(), kind, self.shape, self._kind)

    def _open(self) -> int:
        if not self.pointer:
            raise ValueError(f"{self!r} is closed")
        return self.pointer


def _capsule(pointer: int, device: Tuple[int, int], shape: Tuple[int, ...], kind: Tuple[str, int]) -> Any:
    """One block for structure and shape, which libc's free() gives back: consumers may call that after the interpreter's end."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    block = libc.malloc(ctypes.sizeof(_Tensor) + 16 * len(shape))
    if not block:
        raise MemoryError
    at = block + ctypes.sizeof(_Tensor)
    strides = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = strides[i + 1] * shape[i + 1]
    (ctypes.c_int64 * (2 * len(shape))).from_address(at)[:] = [*shape, *strides]
    tensor = _Tensor.from_address(block)
    tensor.data, tensor.device_type, tensor.device_id = pointer, *device
    tensor.ndim, tensor.code, tensor.bits, tensor.lanes = len(shape), _CODES[kind[0]], kind[1], 1
    tensor.shape, tensor.strides, tensor.byte_offset, tensor.context = at, at + 8 * len(shape), 0, None
    tensor.deleter = ctypes.cast(libc.free, ctypes.c_void_p).value
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))
    return new(block, _CAPSULE, None)


def _pointer(memory: Any) -> int:
    if isinstance(memory, int):
        return memory
    if callable(getattr(memory, "data_ptr", None)):
        return int(memory.data_ptr())
    interface = getattr(memory, "__cuda_array_interface__", None)
    if interface is None:
        raise TypeError(f"{type(memory).__name__} is no device memory: it has neither data_ptr() nor __cuda_array_interface__")
    return int(interface["data"][0])


def _type(dtype: Any) -> Tuple[str, int]:
    """(name, bits): "torch.float32", "float32", "<f4", numpy.dtype("f4") are the same."""
    text = str(getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or dtype).rsplit(".", 1)[-1]
    short = re.fullmatch(r"[<|=]?([iufcb])(\d+)", text)
    if short:
        return _KINDS[short[1]], int(short[2]) * 8
    name = re.fullmatch(r"(int|uint|float|bfloat|complex)(\d+)|(bool)_?", text)
    if not name:
        raise TypeError(f"{dtype!r} is no type of numbers in memory")
    return (name[1], int(name[2])) if name[1] else ("bool", 8)


def _check(answer: int, what: str) -> None:
    if answer < 0:
        raise OSError(-answer, os.strerror(-answer), what)
