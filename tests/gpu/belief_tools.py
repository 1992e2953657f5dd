"""What the checks of beliefs share: processes that ask each other, and structures that calls take."""

import ctypes
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from cuda_calls import Driver, Runtime, result_of  # noqa: E402

BYTES = 2 << 20


# Two processes that touch CUDA only after the fork

def in_child(function, *arguments):
    """What the function returns in a forked child."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, repr(function(*arguments)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        text = file.read().decode()
    os.waitpid(child, 0)
    return eval(text) if text else "no answer"


class Peer:
    """A process that makes things when told so, by name of a function; the asking one has its own driver."""

    def __init__(self, *functions):
        self.functions = functions
        self.asks, self.asked = os.pipe()
        self.answers, self.answered = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.asked)
            os.close(self.answers)
            self.serve()
        os.close(self.asks)
        os.close(self.answered)

    def serve(self):
        try:
            state = {}
            while True:
                byte = os.read(self.asks, 1)
                if not byte:
                    break
                os.write(self.answered, repr(self.functions[byte[0]](state)).encode())
        except Exception as error:
            os.write(self.answered, repr(f"{type(error).__name__}: {error}").encode())
        finally:
            os._exit(0)

    def __call__(self, number=0):
        os.write(self.asked, bytes([number]))
        return eval(os.read(self.answers, 4096).decode())

    def end(self):
        os.close(self.asked)
        os.waitpid(self.pid, 0)


def make(state):
    state["runtime"] = runtime = Runtime()
    state["memory"] = memory = runtime.allocate(BYTES)
    runtime.write(memory, b"m" * BYTES)
    return runtime.export(memory)


def free(state):
    return result_of(state["runtime"].free, state["memory"])


# Virtual memory, by file descriptor

class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class Properties(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", Location), ("none", ctypes.c_void_p),
                ("flags", ctypes.c_ubyte * 8)]


class Access(ctypes.Structure):
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


def create(driver, handles=1, count=BYTES):
    piece = ctypes.c_uint64()
    driver.cuMemCreate(ctypes.byref(piece), count, ctypes.byref(Properties(1, handles, Location(1, 0))), 0)
    return piece


def mapped(driver, piece):
    address, access = ctypes.c_uint64(), Access(Location(1, 0), 3)
    driver.cuMemAddressReserve(ctypes.byref(address), BYTES, 0, 0, 0)
    driver.cuMemMap(address, BYTES, 0, piece, 0)
    driver.cuMemSetAccess(address, BYTES, ctypes.byref(access), 1)
    return address.value


def make_virtual(state):
    state["driver"] = driver = Driver()
    driver.use()
    state["piece"] = piece = create(driver)
    state["address"] = mapped(driver, piece)
    driver.cuMemcpyHtoD_v2(state["address"], b"v" * BYTES, BYTES)
    descriptor = ctypes.c_int(-1)
    driver.cuMemExportToShareableHandle(ctypes.byref(descriptor), piece, 1, 0)
    return descriptor.value


def fetch(pid, descriptor):
    """As PyTorch does it: pidfd_open, pidfd_getfd."""
    libc = ctypes.CDLL(None, use_errno=True)
    pidfd = libc.syscall(434, pid, 0)
    got = libc.syscall(438, pidfd, descriptor, 0)
    return got if got >= 0 else f"errno {ctypes.get_errno()}"


def import_virtual(driver, descriptor):
    piece = ctypes.c_uint64()
    driver.cuMemImportFromShareableHandle(ctypes.byref(piece), ctypes.c_void_p(descriptor), 1)
    return mapped(driver, piece)


def read_virtual(driver, address):
    data = ctypes.create_string_buffer(BYTES)
    driver.cuMemcpyDtoH_v2(data, address, BYTES)
    return data.raw


class PoolProperties(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", Location), ("none", ctypes.c_void_p),
                ("max", ctypes.c_size_t), ("rest", ctypes.c_ubyte * 56)]


def make_pool(driver, handles=1):
    pool = ctypes.c_void_p()
    driver.cuMemPoolCreate(ctypes.byref(pool), ctypes.byref(PoolProperties(1, handles, Location(1, 0))))
    return pool


def from_pool(driver, pool):
    address = ctypes.c_uint64()
    driver.cuMemAllocFromPoolAsync(ctypes.byref(address), BYTES, pool, None)
    driver.cuStreamSynchronize(None)
    return address.value


def pool_descriptor(driver, pool):
    descriptor = ctypes.c_int(-1)
    driver.cuMemPoolExportToShareableHandle(ctypes.byref(descriptor), pool, 1, 0)
    return descriptor.value


def import_pool(driver, descriptor):
    pool = ctypes.c_void_p()
    driver.cuMemPoolImportFromShareableHandle(ctypes.byref(pool), ctypes.c_void_p(descriptor), 1, 0)
    return pool
