#!/usr/bin/env python3
"""The stand-in for the runtime, in both its versions: it starts its driver by itself, passes errors on, and keeps the last."""
# cases

import ctypes
import functools
import glob
import os
import subprocess
import sys
import tempfile
import threading
from ctypes import byref, c_int, c_size_t, c_uint64, c_ulonglong, c_void_p
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from fakecuda import FAKE, Handle, Peer, alone, in_child  # noqa: E402
from mpsantest import ROOT, Skip, main, run_bare  # noqa: E402

INVALID_VALUE, INITIALIZATION, NO_DEVICE, INVALID_DEVICE, UNINITIALIZED = 1, 3, 100, 101, 201
NOT_SUPPORTED = 801
VERSIONS = ("12", "13")
TO_DEVICE, TO_HOST = 1, 2


class Runtime:
    """runtime("cudaMalloc", …) returns the result; the driver beside it is found by being loaded already."""

    def __init__(self, version):
        ctypes.CDLL(str(FAKE / "libcuda.so.1"))
        self.library = ctypes.CDLL(str(FAKE / f"libcudart.so.{version}"))

    def __call__(self, name, *arguments):
        return self.library[name](*(c_uint64(a) if isinstance(a, int) else a for a in arguments))

    def do(self, name, *arguments):
        result = self(name, *arguments)
        assert result == 0, f"{name}{arguments} returned {result}"

    def value(self, name, *arguments, kind=c_uint64):
        to = kind()
        self.do(name, byref(to), *arguments)
        return to.value


def first_calls(version):
    """Any call starts the driver, and gives the thread the first device's context."""
    for call in (lambda r: r.do("cudaFree", 0), lambda r: r.value("cudaMalloc", 64), lambda r: r.do("cudaSetDevice", 0),
                 lambda r: r.value("cudaStreamCreate"), lambda r: r.value("cudaGetDeviceCount", kind=c_int)):
        assert in_child(lambda call=call: call(Runtime(version)) and None) == 0
    runtime = Runtime(version)
    assert runtime.value("cudaRuntimeGetVersion", kind=c_int) == int(version) * 1000
    assert in_child(lambda: runtime.value("cudaMalloc", 64) and None) == 0, "asking for a version starts nothing"


def memory(version):
    runtime = Runtime(version)
    address = runtime.value("cudaMalloc", 1000)
    runtime.do("cudaMemcpy", address, b"words", 5, TO_DEVICE)
    runtime.do("cudaMemset", address + 1, ord("x"), 2)
    back = ctypes.create_string_buffer(5)
    runtime.do("cudaMemcpyAsync", back, address, 5, TO_HOST, 0)
    runtime.do("cudaDeviceSynchronize")
    assert back.raw == b"wxxds"
    runtime.do("cudaFree", address)
    assert runtime("cudaFree", address) == INVALID_VALUE
    assert [runtime("cudaPeekAtLastError"), runtime("cudaGetLastError"), runtime("cudaGetLastError")] == [1, 1, 0]
    pooled = runtime.value("cudaMallocAsync", 64, 0)
    runtime.do("cudaFreeAsync", pooled, 0)
    assert runtime.value("cudaMalloc", 0) == 0, "nothing is nowhere"


def last_error_of_thread(version):
    runtime, seen = Runtime(version), []
    assert runtime("cudaFree", 4096) == INVALID_VALUE
    thread = threading.Thread(target=lambda: seen.append(runtime("cudaPeekAtLastError")))
    thread.start()
    thread.join()
    assert seen == [0] and runtime("cudaGetLastError") == INVALID_VALUE


def devices(version):
    os.environ["MPSAN_FAKE_DEVICES"] = "2"
    runtime = Runtime(version)
    runtime.do("cudaSetDevice", 1)
    assert runtime.value("cudaGetDevice", kind=c_int) == 1
    assert runtime("cudaSetDevice", 2) == INVALID_DEVICE and runtime.value("cudaGetDevice", kind=c_int) == 1
    address, seen = runtime.value("cudaMalloc", 64), []
    thread = threading.Thread(target=lambda: seen.append(runtime.value("cudaGetDevice", kind=c_int)))
    thread.start()
    thread.join()
    assert seen == [0], "each thread has its own"
    runtime.do("cudaDeviceReset")
    assert runtime("cudaFree", address) == INVALID_VALUE
    assert runtime.value("cudaMalloc", 64)


def no_devices(version):
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    runtime = Runtime(version)
    assert runtime("cudaGetDeviceCount", byref(c_int())) == runtime("cudaMalloc", byref(c_uint64()), 64) == NO_DEVICE


def forked(version):
    """In the child of a process that used CUDA nothing works, and the runtime says so in its own words."""
    runtime = Runtime(version)
    address = runtime.value("cudaMalloc", 64)

    def child():
        assert runtime("cudaGetDeviceCount", byref(c_int())) == 0, "counted before the fork"
        results = {runtime("cudaSetDevice", 0), runtime("cudaFree", address),
                   runtime("cudaMalloc", byref(c_uint64()), 64), runtime("cudaDeviceSynchronize"),
                   runtime("cudaGraphCreate", 0, 0), runtime("cudaGetLastError")}
        return results != {INITIALIZATION}

    assert in_child(child) == 0
    text = runtime.library.cudaGetErrorString
    text.restype = ctypes.c_char_p
    assert text(INITIALIZATION) == b"initialization error"


def forked_before(version):
    runtime = Runtime(version)
    assert in_child(lambda: runtime("cudaMalloc", byref(c_uint64()), 64)) == 0


def ipc(version):
    """A handle of the runtime is one of the driver."""
    runtime = Runtime(version)
    address = runtime.value("cudaMalloc", 64)
    runtime.do("cudaMemcpy", address, b"seen", 4, TO_DEVICE)
    handle = Handle()
    runtime.do("cudaIpcGetMemHandle", byref(handle), address)
    assert runtime("cudaIpcOpenMemHandle", byref(c_void_p()), handle, 1) == UNINITIALIZED, "one's own"
    with Peer() as peer:
        peer("cuda.start() and 0")
        _, there = peer(f"cuda.open({bytes(handle)})")
        assert peer(f"cuda.read({there}, 4)") == b"seen"
        theirs = peer("cuda.handle(cuda.allocate(64))")
        here = runtime.value("cudaIpcOpenMemHandle", Handle.from_buffer_copy(theirs), 1)
        runtime.do("cudaIpcCloseMemHandle", here)
        assert runtime("cudaIpcCloseMemHandle", here) == INVALID_VALUE


def entry_points(version):
    runtime = Runtime(version)
    runtime.do("cudaFree", 0)
    driver = ctypes.CDLL(str(FAKE / "libcuda.so.1"))

    def found(name, *arguments):
        pointer, status = c_void_p(), c_int(-1)
        runtime.do(name, arguments[0], byref(pointer), *arguments[1:], byref(status))
        return pointer.value, status.value

    def address(name):
        return ctypes.cast(driver[name], c_void_p).value

    assert found("cudaGetDriverEntryPoint", b"cuMemAlloc", c_ulonglong(0)) == (address("cuMemAlloc_v2"), 0)
    assert found("cudaGetDriverEntryPoint_ptsz", b"cuMemAllocAsync", c_ulonglong(0)) == (address("cuMemAllocAsync_ptsz"), 0)
    assert found("cudaGetDriverEntryPointByVersion", b"cuMemAlloc", 2000, c_ulonglong(0)) == (address("cuMemAlloc"), 0)
    assert found("cudaGetDriverEntryPoint", b"cuNothing", c_ulonglong(0)) == (None, 1)


def names(version):
    """Exactly those of the real one, under the library's own version; what has no meaning is not supported."""
    listing = subprocess.run(["nm", "-D", "--defined-only", str(FAKE / f"libcudart.so.{version}")], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    found = {line.split()[-1] for line in listing.splitlines()} - {f"libcudart.so.{version}"}
    text = (ROOT / "tests/fake/runtime/names.def").read_text()
    want = {line[line.index("(") + 1:-1] for line in text.splitlines() if line.startswith(("BOTH(", f"ONLY_{version}("))}
    assert {name.partition("@@")[0] for name in found} == want and len(want) > 400
    assert all(name.endswith(f"@@libcudart.so.{version}") for name in found)
    assert Runtime(version)("cudaGraphCreate", 0, 0) == NOT_SUPPORTED


def streams(version):
    """Streams and events, and pinned memory for them."""
    runtime = Runtime(version)
    stream, event = runtime.value("cudaStreamCreate"), runtime.value("cudaEventCreateWithFlags", 2)
    runtime.do("cudaEventRecord", event, stream)
    runtime.do("cudaStreamWaitEvent", stream, event, 0)
    runtime.do("cudaStreamSynchronize", stream)
    runtime.do("cudaStreamDestroy", stream)
    runtime.do("cudaEventDestroy", event)
    assert runtime.value("cudaHostAlloc", 64, c_size_t(0))


def with_toolkit():
    """A program that is built with the toolkit's headers finds its structures understood."""
    headers = sorted(glob.glob("/usr/local/cuda-13*/include"))
    if not headers:
        raise Skip("no toolkit 13 here")
    with tempfile.TemporaryDirectory() as place:
        program = Path(place) / "user"
        subprocess.run(["cc", "-Wall", "-I", headers[-1], "-o", program, ROOT / "tests/fake/toolkit/user.c", FAKE / "libcudart.so.13",
                        FAKE / "libcuda.so.1", f"-Wl,-rpath,{FAKE}"], check=True)
        run = run_bare([program])
    assert run.exit == 0, run


CASES = (first_calls, memory, last_error_of_thread, devices, no_devices, forked, forked_before, ipc, entry_points, names,
         streams)

main({**{f"{case.__name__}_{version}": alone(functools.partial(case, version)) for case in CASES for version in VERSIONS},
      "with_toolkit": with_toolkit})
