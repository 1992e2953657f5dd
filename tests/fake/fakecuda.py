"""The stand-in for CUDA through ctypes, and a second process that does what it is told.

cuda = Driver(); cuda("cuMemAlloc", byref(pointer), 64) asks for the name as a runtime does and returns the result.
Run as a program this file is that second process.
"""

import ctypes
import os
import re
import socket
import subprocess
import sys
import traceback
from ctypes import byref, c_char, c_int, c_size_t, c_uint64, c_void_p, create_string_buffer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAKE = Path(os.environ.get("BUILD", ROOT / "build")).resolve() / "fake"
VERSION = 13000
OK, INVALID_VALUE, OUT_OF_MEMORY, NOT_INITIALIZED = 0, 1, 2, 3
NO_DEVICE, INVALID_DEVICE, INVALID_CONTEXT, ALREADY_MAPPED, NO_PEER = 100, 101, 201, 208, 217
INVALID_HANDLE, NOT_FOUND, NOT_PERMITTED, NOT_SUPPORTED = 400, 500, 800, 801
POSIX_FD, DEVICE = 1, 1  # CUmemAllocationHandleType, CUmemLocationType
MIB = 1 << 20


class Handle(ctypes.Structure):
    """64 bytes, passed by value."""
    _fields_ = [("bytes", c_char * 64)]


class AllocationProperties(ctypes.Structure):
    _fields_ = [("type", c_int), ("handle_types", c_int), ("location_type", c_int), ("location", c_int),
                ("windows", c_void_p), ("flags", c_char * 8)]


class PoolProperties(ctypes.Structure):
    _fields_ = [("type", c_int), ("handle_types", c_int), ("location_type", c_int), ("location", c_int),
                ("windows", c_void_p), ("most", c_size_t), ("rest", c_char * 56)]


class Access(ctypes.Structure):
    _fields_ = [("location_type", c_int), ("location", c_int), ("flags", c_int)]


def table():
    """[(symbol, name, version, for each thread's stream)] of the tables of names."""
    text = "".join((ROOT / f"tests/fake/driver_names{part}.def").read_text() for part in ("", "_more"))
    rows = re.findall(r"^(DRIVER|THREAD)\((\w+), (\w+), (\d+)\)$", text, re.M)
    return [(symbol, name, int(version), kind == "THREAD") for kind, symbol, name, version in rows]


class Driver:
    def __init__(self):
        self.library = ctypes.CDLL(str(FAKE / "libcuda.so.1"))

    def find(self, name, version=VERSION, flags=0):
        """(result, address, status) of a look-up."""
        pointer, status = c_void_p(), c_int(-1)
        result = self.library.cuGetProcAddress_v2(name.encode(), byref(pointer), version, c_uint64(flags), byref(status))
        return result, pointer.value, status.value

    def __call__(self, name, *arguments):
        result, address, _ = self.find(name)
        assert result == OK and address, f"the driver has no {name}"
        return ctypes.CFUNCTYPE(c_int)(address)(*map(plain, arguments))

    def value(self, name, *arguments, kind=c_uint64):
        """What the call writes through its first argument."""
        to = kind()
        result = self(name, byref(to), *arguments)
        assert result == OK, f"{name}{arguments} returned {result}"
        return to.value

    def do(self, name, *arguments):
        result = self(name, *arguments)
        assert result == OK, f"{name}{arguments} returned {result}"

    # Short ways

    def start(self, device=0):
        self.do("cuInit", 0)
        self.do("cuCtxSetCurrent", self.value("cuDevicePrimaryCtxRetain", device))
        return self

    def uuid(self, device):
        bytes_ = create_string_buffer(16)
        self.do("cuDeviceGetUuid", bytes_, device)
        return bytes_.raw

    def allocate(self, count):
        return self.value("cuMemAlloc", count)

    def write(self, address, text):
        return self("cuMemcpyHtoD", address, text, len(text))

    def read(self, address, count):
        to = create_string_buffer(count)
        self.do("cuMemcpyDtoH", to, address, count)
        return to.raw

    def handle(self, address):
        handle = Handle()
        self.do("cuIpcGetMemHandle", byref(handle), address)
        return bytes(handle)

    def open(self, handle, flags=1):
        """(result, address)"""
        address = c_uint64()
        return self("cuIpcOpenMemHandle", byref(address), Handle.from_buffer_copy(handle), flags), address.value

    def create(self, count, handle_types=0, device=0):
        return self.value("cuMemCreate", count, byref(AllocationProperties(1, handle_types, DEVICE, device)), 0)

    def map(self, handle, count):
        """Maps physical memory at addresses of its own, for reading and writing."""
        address = self.value("cuMemAddressReserve", count, 0, 0, 0)
        self.do("cuMemMap", address, count, 0, handle, 0)
        self.do("cuMemSetAccess", address, count, byref(Access(DEVICE, 0, 3)), 1)
        return address

    def export_fd(self, handle, name="cuMemExportToShareableHandle"):
        return self.value(name, handle, POSIX_FD, 0, kind=c_int)

    def import_fd(self, fd):
        return self.value("cuMemImportFromShareableHandle", fd, POSIX_FD)

    def pool(self, handle_types=0, device=0):
        return self.value("cuMemPoolCreate", byref(PoolProperties(1, handle_types, DEVICE, device)))


def plain(argument):
    """Numbers fill a register whatever their C type is; the rest is ctypes'."""
    return c_uint64(argument & (1 << 64) - 1) if isinstance(argument, int) else argument


def in_child(work):
    """Runs it in a forked child; its value is a small number, or None for 0."""
    pid = os.fork()
    if pid == 0:
        status = 99
        try:
            status = work() or 0
        except Exception:
            traceback.print_exc(file=sys.stdout)
        finally:
            sys.stdout.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def alone(case):
    """The case in a child, so that each has a driver that nobody started."""
    def run():
        assert in_child(case) == 0
    return run


class Peer:
    """Another process with a driver of its own: peer("cuda.read(ADDRESS, 4)") runs there. A file descriptor that is
    sent along is `fd` in the text."""

    def __init__(self, **environment):
        ours, theirs = socket.socketpair()
        self.socket = ours
        self.process = subprocess.Popen([sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()],
                                        env={**os.environ, **environment})
        theirs.close()

    def __call__(self, text, fd=None):
        socket.send_fds(self.socket, [text.encode()], [] if fd is None else [fd])
        answer = self.socket.recv(1 << 16).decode()
        assert answer, f"the other process ended at: {text}"
        good, value = eval(answer)
        assert good, value
        return value

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def serve(descriptor):
    connection = socket.socket(fileno=descriptor)
    names = dict(globals(), cuda=Driver())
    while True:
        text, fds, _, _ = socket.recv_fds(connection, 1 << 16, 1)
        if not text:
            return
        names["fd"] = fds[0] if fds else None
        try:
            answer = (True, eval(text.decode(), names))
        except Exception:
            answer = (False, traceback.format_exc())
        connection.send(repr(answer).encode())


if __name__ == "__main__":
    serve(int(sys.argv[1]))
