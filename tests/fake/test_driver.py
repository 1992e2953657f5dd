#!/usr/bin/env python3
"""What the stand-in for the driver is believed to have in common with the real one: start, names, devices, contexts,
memory, poison after a fork. Each case is a process of its own."""
# cases

import ctypes
import glob
import os
import re
import subprocess
import sys
import threading
from ctypes import byref, c_float, c_int, c_size_t, c_uint64, create_string_buffer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from fakecuda import (FAKE, INVALID_CONTEXT, INVALID_DEVICE, INVALID_HANDLE, INVALID_VALUE, NO_DEVICE,  # noqa: E402
                      NOT_FOUND, NOT_INITIALIZED, NOT_SUPPORTED, OK, OUT_OF_MEMORY, Driver, Peer, alone, in_child, table)
from mpsantest import Skip, main  # noqa: E402

NEEDS_NO_START = {"cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString", "cuGetProcAddress",
                  "cuGetProcAddress_v2"}
FOUND, UNKNOWN, TOO_OLD = 0, 1, 2
LEGACY, PER_THREAD = 1, 2


# Names

def exports():
    listing = subprocess.run(["nm", "-D", "--defined-only", str(FAKE / "libcuda.so.1")], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    return dict(reversed(line.split()[::2]) for line in listing.splitlines())


def names_are_exported():
    found = exports()
    assert set(found) == {symbol for symbol, *_ in table()}
    assert len(set(found.values())) == len(found) > 600, "two names share an address"


def names_of_toolkit():
    """All that the headers of an installed toolkit declare."""
    headers = [Path(place) for place in sorted(glob.glob("/usr/local/cuda*/include/cuda.h"))]
    if not headers:
        raise Skip("no toolkit here")
    text = re.sub(r"/\*.*?\*/", "", headers[-1].read_text(), flags=re.S)
    declared = set(re.findall(r"CUresult\s+CUDAAPI\s+(\w+)\s*\(", text))
    declared |= {name + "_" + kind.lower() for kind, name in re.findall(r"__CUDA_API_(PT[DS][SZ])\((\w+)\)", text)
                 if name != "api"}
    missing = declared - set(exports())
    assert len(declared) > 400 and not missing, sorted(missing)


def symbol_at(cuda, address):
    by_address = {ctypes.cast(cuda.library[name], ctypes.c_void_p).value: name for name in exports()}
    return by_address.get(address)


def look_ups():
    cuda = Driver()
    for name, version, flags, symbol in (
            ("cuMemAlloc", 2000, 0, "cuMemAlloc"), ("cuMemAlloc", 3020, 0, "cuMemAlloc_v2"),
            ("cuMemAlloc", 13000, 0, "cuMemAlloc_v2"), ("cuMemcpyHtoDAsync", 12000, LEGACY, "cuMemcpyHtoDAsync_v2"),
            ("cuMemcpyHtoDAsync", 12000, PER_THREAD, "cuMemcpyHtoDAsync_v2_ptsz"),
            ("cuMemAlloc", 12000, PER_THREAD, "cuMemAlloc_v2"),
            ("cuStreamGetCaptureInfo", 11000, 0, "cuStreamGetCaptureInfo"),
            ("cuStreamGetCaptureInfo", 11030, 0, "cuStreamGetCaptureInfo_v2"),
            ("cuGetProcAddress", 11030, 0, "cuGetProcAddress"), ("cuGetProcAddress", 12000, 0, "cuGetProcAddress_v2")):
        result, address, status = cuda.find(name, version, flags)
        assert (result, status, symbol_at(cuda, address)) == (OK, FOUND, symbol), (name, version, flags)
    assert cuda.find("cuMemAllocAsync", 11000) == (OK, None, TOO_OLD)
    assert cuda.find("cuNothing") == (OK, None, UNKNOWN)
    assert cuda.find("") == (OK, None, UNKNOWN)
    assert cuda.find("cuInit", 99000)[0] == cuda.find("cuInit", flags=8)[0] == INVALID_VALUE
    old = cuda.library.cuGetProcAddress
    assert old(b"cuNothing", byref(ctypes.c_void_p()), 13000, c_uint64(0)) == NOT_FOUND


def call_all(cuda, want):
    """Every function with nothing but the address of zeros, as which aarch64 passes handles; none may do more than look at
    the driver's state."""
    zeros = create_string_buffer(128)
    for name in sorted(set(exports()) - NEEDS_NO_START):
        result = cuda.library[name](*[byref(zeros)] * 12)
        assert result == want, f"{name} returned {result}"
    return 0


def nothing_before_start():
    cuda = Driver()
    call_all(cuda, NOT_INITIALIZED)
    assert cuda.value("cuDriverGetVersion", kind=c_int) == 13000
    assert cuda("cuInit", 1) == INVALID_VALUE
    call_all(cuda, NOT_INITIALIZED)


def unsupported():
    cuda = Driver().start()
    assert cuda("cuGraphCreate", 0, 0) == cuda("cuTexRefCreate", 0) == NOT_SUPPORTED


def errors_have_names():
    cuda = Driver()
    text = ctypes.c_char_p()
    for number, name in ((0, b"CUDA_SUCCESS"), (3, b"CUDA_ERROR_NOT_INITIALIZED"), (801, b"CUDA_ERROR_NOT_SUPPORTED")):
        cuda.do("cuGetErrorName", number, byref(text))
        assert text.value == name
        cuda.do("cuGetErrorString", number, byref(text))
        assert text.value
    assert cuda("cuGetErrorName", 12345, byref(text)) == INVALID_VALUE


# Forks

def poison():
    """After a fork nothing works in the child, whatever the parent does afterwards."""
    cuda = Driver().start()
    address = cuda.allocate(64)
    assert in_child(lambda: cuda("cuInit", 0)) == NOT_INITIALIZED
    assert in_child(lambda: call_all(cuda, NOT_INITIALIZED)) == 0
    assert in_child(lambda: in_child(lambda: cuda("cuInit", 0))) == NOT_INITIALIZED, "the child's own child"
    cuda.do("cuMemFree", address)


def no_poison():
    """A fork before the start does no harm, nor does a start that failed."""
    cuda = Driver()
    assert in_child(lambda: cuda("cuInit", 0)) == OK
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    assert cuda("cuInit", 0) == NO_DEVICE
    del os.environ["CUDA_VISIBLE_DEVICES"]
    assert in_child(lambda: cuda("cuInit", 0)) == OK
    cuda.start()


def exec_is_new():
    Driver().start()
    with Peer() as peer:
        assert peer("cuda('cuInit', 0)") == OK


# Devices

def devices(visible, number):
    """Physical numbers of what is visible, by their UUIDs; the result of cuInit where nothing is."""
    environment = {"MPSAN_FAKE_DEVICES": str(number)}
    if visible is not None:
        environment["CUDA_VISIBLE_DEVICES"] = visible
    with Peer(**environment) as peer:
        result = peer("cuda('cuInit', 0)")
        if result != OK:
            return result
        count = peer("cuda.value('cuDeviceGetCount', kind=c_int)")
        assert peer(f"cuda('cuDeviceGet', byref(c_int()), {count})") == INVALID_DEVICE
        return [peer(f"cuda.uuid({i})")[15] for i in range(count)]


def visible_devices():
    uuid = "GPU-6d707361-6e20-6661-6b65-204750552000"
    for visible, number, want in (
            (None, 1, [0]), (None, 3, [0, 1, 2]), ("2,0", 3, [2, 0]), ("1", 2, [1]), ("", 2, NO_DEVICE), ("-1", 2, NO_DEVICE),
            ("0,9,1", 3, [0]), ("1,1,0", 3, [1]), (uuid, 2, [0]), (uuid[:12], 1, [0]), ("GPU-7", 2, NO_DEVICE),
            (None, 0, NO_DEVICE)):
        assert devices(visible, number) == want, (visible, number, devices(visible, number))


def visible_once():
    """A change after the start has no effect."""
    os.environ["MPSAN_FAKE_DEVICES"] = "2"
    cuda = Driver().start()
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    assert cuda.value("cuDeviceGetCount", kind=c_int) == 2
    cuda.do("cuInit", 0)
    assert cuda.uuid(0)[15] == 0


# Contexts

def contexts():
    os.environ["MPSAN_FAKE_DEVICES"] = "2"
    cuda = Driver()
    cuda.do("cuInit", 0)
    assert cuda("cuMemAlloc", byref(c_uint64()), 64) == INVALID_CONTEXT, "no context yet"
    first = cuda.value("cuDevicePrimaryCtxRetain", 0)
    assert first == cuda.value("cuDevicePrimaryCtxRetain", 0), "one primary context"
    cuda.do("cuCtxSetCurrent", first)
    second = c_uint64()
    assert cuda.library.cuCtxCreate_v2(byref(second), 0, 1) == OK
    assert cuda.value("cuCtxGetCurrent") == second.value and cuda.value("cuCtxGetDevice", 0, kind=c_int) == 1
    address = cuda.allocate(4096)
    cuda.do("cuCtxDestroy", second.value)
    assert cuda.value("cuCtxGetCurrent") == first
    assert cuda("cuMemFree", address) == INVALID_VALUE, "memory ends with its context"
    assert cuda("cuCtxSetCurrent", second.value) == cuda("cuCtxDestroy", second.value) == INVALID_CONTEXT
    assert cuda("cuDevicePrimaryCtxRetain", byref(c_uint64()), 2) == INVALID_DEVICE
    address = cuda.allocate(64)
    cuda.do("cuDevicePrimaryCtxReset", 0)
    assert cuda("cuMemAlloc", byref(c_uint64()), 64) == INVALID_CONTEXT
    cuda.start()
    assert cuda("cuMemFree", address) == INVALID_VALUE


def contexts_of_threads():
    cuda = Driver().start()
    results = []
    thread = threading.Thread(target=lambda: results.append(cuda("cuMemAlloc", byref(c_uint64()), 64)))
    thread.start()
    thread.join()
    assert results == [INVALID_CONTEXT], "a new thread has no context"


# Memory

def memory():
    cuda = Driver().start()
    address = cuda.allocate(1000)
    assert cuda("cuMemAlloc", byref(c_uint64()), 0) == INVALID_VALUE
    assert cuda("cuMemFree", address + 8) == INVALID_VALUE
    start, length = c_uint64(), c_size_t()
    cuda.do("cuMemGetAddressRange", byref(start), byref(length), address + 999)
    assert (start.value, length.value) == (address, 1000)
    assert cuda("cuMemGetAddressRange", byref(start), byref(length), address + 1000) == NOT_FOUND
    cuda.do("cuMemFree", address)
    assert cuda("cuMemFree", address) == INVALID_VALUE
    cuda.do("cuMemFree", 0)
    total = cuda.value("cuDeviceTotalMem", 0)
    assert cuda("cuMemAlloc", byref(c_uint64()), total + 1) == OUT_OF_MEMORY
    most = cuda.allocate(total)
    assert cuda("cuMemAlloc", byref(c_uint64()), 1) == OUT_OF_MEMORY
    cuda.do("cuMemFree", most)
    cuda.allocate(64)


def many_live():
    """100 000 pieces of all sizes, none in another; then all of it again."""
    cuda = Driver().start()
    for _ in range(2):
        pieces = {}
        for i in range(100_000):
            size = (1, 300, 512, 5000, 70_000)[i % 5]
            pieces[cuda.allocate(size)] = size
        assert len(pieces) == 100_000
        end = 0
        for address in sorted(pieces):
            assert address >= end, hex(address)
            end = address + pieces[address]
        for address in pieces:
            cuda.do("cuMemFree", address)


def attribute(cuda, number, address, kind=c_uint64):
    return cuda.value("cuPointerGetAttribute", number, address, kind=kind)


def pointer_attributes():
    cuda = Driver().start()
    device, managed, host = cuda.allocate(64), cuda.value("cuMemAllocManaged", 64, 1), cuda.value("cuMemHostAlloc", 64, 0)
    for address, memory_type, is_managed, is_exportable in ((device, 2, 0, 1), (managed, 2, 1, 0), (host, 1, 0, 0)):
        assert attribute(cuda, 2, address, c_int) == memory_type
        assert attribute(cuda, 8, address, c_int) == is_managed
        assert attribute(cuda, 10, address, c_int) == is_exportable
        assert attribute(cuda, 11, address + 5) == address and attribute(cuda, 12, address) == 64
        assert attribute(cuda, 9, address, c_int) == 0
    first = attribute(cuda, 7, device)
    cuda.do("cuMemFree", device)
    assert cuda("cuPointerGetAttribute", byref(c_uint64()), 7, device) == INVALID_VALUE
    assert cuda.allocate(64) == device and attribute(cuda, 7, device) != first, "the buffer's number is new"
    cuda.do("cuMemFreeHost", host)
    assert cuda("cuMemFreeHost", managed) == INVALID_VALUE


def host_registration():
    cuda = Driver().start()
    buffer = create_string_buffer(8192)
    address = ctypes.addressof(buffer)
    cuda.do("cuMemHostRegister", address, 8192, 0)
    assert cuda("cuMemHostRegister", address, 8192, 0) == 712
    assert cuda.value("cuMemHostGetDevicePointer", address + 8, 0) == address + 8
    assert cuda("cuMemGetAddressRange", 0, 0, address) == NOT_FOUND
    cuda.do("cuMemHostUnregister", address)
    assert cuda("cuMemHostUnregister", address) == 713


def copies():
    cuda = Driver().start()
    a, b = cuda.allocate(4096), cuda.allocate(4096)
    assert cuda.write(a, b"0123456789") == OK
    cuda.do("cuMemcpyDtoD", b, a, 10)
    assert cuda.read(b, 10) == b"0123456789"
    cuda.do("cuMemcpyDtoDAsync", b + 1, b, 9, 0)
    assert cuda.read(b, 10) == b"0012345678"
    cuda.do("cuMemsetD32", a, 0x41424344, 3)
    assert cuda.read(a, 12) == b"DCBA" * 3
    cuda.do("cuMemsetD8Async", a + 1, 0x7a, 2, 0)
    cuda.do("cuMemcpy", b, a, 4)
    assert cuda.read(b, 4) == b"DzzA"
    assert cuda.write(a + 4090, b"0123456789") == INVALID_VALUE, "beyond the end"
    cuda.do("cuMemFree", a)
    assert cuda.write(a, b"x") == cuda("cuMemsetD8", a, 0, 1) == INVALID_VALUE


# Streams, events, launches

def streams_and_events():
    cuda = Driver().start()
    stream = cuda.value("cuStreamCreate", 0)
    start, end = cuda.value("cuEventCreate", 0), cuda.value("cuEventCreate", 0)
    cuda.do("cuEventRecord", start, stream)
    cuda.do("cuStreamWaitEvent", stream, start, 0)
    cuda.do("cuEventRecord", end, 0)
    cuda.do("cuEventSynchronize", end)
    assert cuda.value("cuEventElapsedTime", start, end, kind=c_float) >= 0
    cuda.do("cuLaunchKernel", 4096, 1, 1, 1, 32, 1, 1, 0, stream, 0, 0)
    assert cuda("cuLaunchKernel", 0, 1, 1, 1, 32, 1, 1, 0, stream, 0, 0) == INVALID_HANDLE
    assert cuda("cuLaunchKernel", 4096, 1, 1, 1, 2048, 1, 1, 0, stream, 0, 0) == INVALID_VALUE
    cuda.do("cuStreamSynchronize", stream)
    cuda.do("cuCtxSynchronize", 0)
    cuda.do("cuStreamDestroy", stream)
    assert cuda("cuStreamSynchronize", stream) == cuda("cuEventRecord", start, stream) == INVALID_HANDLE
    cuda.do("cuEventDestroy", start)
    assert cuda("cuEventQuery", start) == INVALID_HANDLE


# Many threads

def threads():
    cuda = Driver().start()
    context, wrong = cuda.value("cuCtxGetCurrent"), []

    def work(number):
        cuda.do("cuCtxSetCurrent", context)
        mark = bytes([number]) * 100
        for i in range(1500):
            address = cuda.allocate(100 + 997 * (i % 7) ** 4)
            cuda.write(address, mark)
            handle = cuda.handle(address)
            if cuda.read(address, 100) != mark or len(handle) != 64:
                wrong.append(number)
            cuda.do("cuMemFree", address)

    all_threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 7)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    assert not wrong


CASES = (names_are_exported, names_of_toolkit, look_ups, nothing_before_start, unsupported, errors_have_names, poison,
         no_poison, exec_is_new, visible_devices, visible_once, contexts, contexts_of_threads, memory, many_live,
         pointer_attributes, host_registration, copies, streams_and_events, threads)

main({case.__name__: case if case is names_of_toolkit else alone(case) for case in CASES})
