#!/usr/bin/env python3
"""What tests/fake believes of the real driver, asked of whichever driver is here. Prints a table for the README of
tests/fake, a line for each belief: confirmed, or what was seen instead. beliefs.py [--one NAME]"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from cuda_calls import Driver, Handle, Runtime, result_of  # noqa: E402

BYTES = 2 << 20
BELIEFS = {}


def belief(claim, *wanted):
    """What the function returns is one of `wanted` when the claim is true."""
    def enter(function):
        BELIEFS[function.__name__] = (claim, wanted, function)
        return function
    return enter


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


# Forks

def call_in_child(library, name, *arguments):
    return in_child(lambda: result_of(getattr(library, name), *arguments))


@belief("after cuInit, cuInit in a forked child returns 3", 3)
def init_in_child():
    driver = Driver()
    driver.use()
    return call_in_child(driver, "cuInit", 0)


@belief("so does cuDeviceGetCount", 3)
def count_in_child():
    driver = Driver()
    driver.use()
    return in_child(lambda: result_of(driver.devices))


@belief("cuInit alone, without a context, poisons children", 3)
def init_alone():
    driver = Driver()
    driver.cuInit(0)
    return call_in_child(driver, "cuInit", 0)


@belief("cuDriverGetVersion works in such a child", 0)
def version_in_child():
    driver, version = Driver(), ctypes.c_int()
    driver.use()
    return call_in_child(driver, "cuDriverGetVersion", ctypes.byref(version))


@belief("cudaMalloc in such a child returns 3", 3)
def allocate_in_child():
    runtime = Runtime()
    runtime.allocate(BYTES)
    return in_child(lambda: result_of(runtime.allocate, BYTES))


@belief("so does cudaGetDeviceCount", 3)
def runtime_count_in_child():
    runtime = Runtime()
    runtime.allocate(BYTES)
    return in_child(lambda: result_of(runtime.devices))


@belief("cudaGetDeviceCount in the parent alone poisons children", 3)
def query_poisons():
    runtime = Runtime()
    runtime.devices()
    return in_child(lambda: result_of(runtime.allocate, BYTES))


@belief("cudaDriverGetVersion initialises the driver, and so poisons children", 3)
def version_poisons():
    runtime, version = Runtime(), ctypes.c_int()
    runtime.cudaDriverGetVersion(ctypes.byref(version))
    return in_child(lambda: result_of(runtime.allocate, BYTES))


@belief("cudaRuntimeGetVersion does not", 0)
def runtime_version_poisons_not():
    runtime, version = Runtime(), ctypes.c_int()
    runtime.cudaRuntimeGetVersion(ctypes.byref(version))
    return in_child(lambda: result_of(runtime.allocate, BYTES))


@belief("libraries that are loaded and not called poison nothing", 0)
def load_poisons_not():
    runtime, _ = Runtime(), Driver()
    return in_child(lambda: result_of(runtime.allocate, BYTES))


@belief("CUDA_VISIBLE_DEVICES is read by cuInit and never again", True)
def visible_once():
    driver = Driver()
    driver.use()
    before = driver.devices()
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    return driver.devices() == before


@belief("an empty CUDA_VISIBLE_DEVICES makes cuInit return 100", 100)
def visible_none():
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    return result_of(Driver().cuInit, 0)


# Handles of 64 bytes

@belief("what one process wrote, another reads through the handle", True)
def handle_reads():
    peer, runtime = Peer(make), Runtime()
    memory = runtime.open(peer())
    same = runtime.read(memory, BYTES) == b"m" * BYTES
    runtime.close(memory)
    peer.end()
    return same


@belief("the handle of an allocation is the same bytes each time", True)
def handle_same():
    runtime = Runtime()
    memory = runtime.allocate(BYTES)
    return runtime.export(memory) == runtime.export(memory)


@belief("a handle made of an inner address opens the whole, from its beginning", True)
def handle_inner():
    def make_inner(state):
        make(state)
        return state["runtime"].export(state["memory"] + 4096)

    peer, runtime = Peer(make_inner), Runtime()
    memory = runtime.open(peer())
    data = runtime.read(memory, BYTES)
    peer.end()
    return data == b"m" * BYTES


@belief("two allocations never have the same handle, not even at the same address one after the other", True)
def handle_fresh():
    runtime, seen = Runtime(), set()
    for _ in range(10):
        memory = runtime.allocate(BYTES)
        seen.add(runtime.export(memory))
        runtime.free(memory)
    return len(seen) == 10


@belief("a process that opens its own handle gets 201", 201)
def handle_own():
    runtime = Runtime()
    return result_of(runtime.open, runtime.export(runtime.allocate(BYTES)))


@belief("a second open without a close between counts: the same address, and as many closes as opens", (True, 0, 0, 1))
def handle_twice():
    peer, runtime = Peer(make), Runtime()
    handle = peer()
    memory = runtime.open(handle)
    seen = runtime.open(handle) == memory, *[result_of(runtime.close, memory) for _ in range(3)]
    peer.end()
    return seen


@belief("a handle of memory that was freed does not open", 1, 201, 400)
def handle_freed():
    peer, runtime = Peer(make, free), Runtime()
    handle = peer()
    peer(1)
    code = result_of(runtime.open, handle)
    peer.end()
    return code


@belief("cudaFree succeeds while another process has the memory open", 0)
def free_while_open():
    peer, runtime = Peer(make, free), Runtime()
    runtime.open(peer())
    code = peer(1)
    peer.end()
    return code


@belief("a handle of a process that is gone does not open", 1, 201, 400)
def handle_orphan():
    peer, runtime = Peer(make), Runtime()
    handle = peer()
    peer.end()
    return result_of(runtime.open, handle)


@belief("imported memory has no handle of its own", 1)
def handle_forwarded():
    peer, runtime = Peer(make), Runtime()
    memory = runtime.open(peer())
    code = result_of(runtime.export, memory)
    peer.end()
    return code


@belief("closing an address that was not opened returns 1", 1)
def close_unknown():
    runtime = Runtime()
    return result_of(runtime.close, runtime.allocate(BYTES))


@belief("managed memory has no handle", 1)
def handle_managed():
    runtime, memory = Runtime(), ctypes.c_void_p()
    runtime.cudaMallocManaged(ctypes.byref(memory), BYTES, 1)
    return result_of(runtime.export, memory.value)


@belief("memory of cudaMallocAsync has no handle", 1)
def handle_pool():
    runtime, memory = Runtime(), ctypes.c_void_p()
    runtime.cudaMallocAsync(ctypes.byref(memory), BYTES, None)
    runtime.cudaDeviceSynchronize()
    return result_of(runtime.export, memory.value)


@belief("host memory has no handle", 1)
def handle_host():
    runtime, memory = Runtime(), ctypes.c_void_p()
    runtime.cudaMallocHost(ctypes.byref(memory), BYTES)
    return result_of(runtime.export, memory.value)


@belief("only an event made for other processes, without timing, has a handle", (0, True))
def handle_event():
    runtime, handle = Runtime(), Handle()
    shared, private = ctypes.c_void_p(), ctypes.c_void_p()
    runtime.cudaEventCreateWithFlags(ctypes.byref(shared), 2 | 4)
    runtime.cudaEventCreateWithFlags(ctypes.byref(private), 2)
    return (result_of(runtime.cudaIpcGetEventHandle, ctypes.byref(handle), shared),
            result_of(runtime.cudaIpcGetEventHandle, ctypes.byref(handle), private) != 0)


# Virtual memory, by file descriptor

class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class Properties(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", Location), ("none", ctypes.c_void_p),
                ("flags", ctypes.c_ubyte * 8)]


class Access(ctypes.Structure):
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


def create(driver, handles=1):
    piece = ctypes.c_uint64()
    driver.cuMemCreate(ctypes.byref(piece), BYTES, ctypes.byref(Properties(1, handles, Location(1, 0))), 0)
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


@belief("virtual memory goes over as a file descriptor", True)
def virtual_reads():
    peer, driver = Peer(make_virtual), Driver()
    driver.use()
    same = read_virtual(driver, import_virtual(driver, fetch(peer.pid, peer()))) == b"v" * BYTES
    peer.end()
    return same


@belief("and stays readable when its maker has ended", True)
def virtual_outlives():
    peer, driver = Peer(make_virtual), Driver()
    driver.use()
    address = import_virtual(driver, fetch(peer.pid, peer()))
    peer.end()
    return read_virtual(driver, address) == b"v" * BYTES


@belief("a process may import its own descriptor", True)
def virtual_own():
    state = {}
    descriptor = make_virtual(state)
    return read_virtual(state["driver"], import_virtual(state["driver"], descriptor)) == b"v" * BYTES


@belief("virtual memory that was not created exportable has no descriptor", 1, 801)
def virtual_private():
    driver, descriptor = Driver(), ctypes.c_int(-1)
    driver.use()
    return result_of(driver.cuMemExportToShareableHandle, ctypes.byref(descriptor), create(driver, handles=0), 1, 0)


@belief("virtual memory has no handle of 64 bytes", 1)
def virtual_handle():
    driver, handle = Driver(), Handle()
    driver.use()
    return result_of(driver.cuIpcGetMemHandle, ctypes.byref(handle), mapped(driver, create(driver)))


# The table

def ask(name):
    """(verdict, what was seen) of one belief, in a process of its own."""
    run = subprocess.run([sys.executable, __file__, "--one", name], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, timeout=60)
    seen = run.stdout.strip() or (run.stderr.strip().splitlines() or ["nothing"])[-1]
    return seen in map(repr, BELIEFS[name][1]), seen


def print_table():
    right = 0
    print("| belief | seen |\n|---|---|")
    for name, (claim, wanted, _) in BELIEFS.items():
        confirmed, seen = ask(name)
        right += confirmed
        print(f"| {claim} | {'confirmed' if confirmed else 'NOT SO'}: {seen} |", flush=True)
    print(f"\n{right} of {len(BELIEFS)} confirmed")
    return right == len(BELIEFS)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(repr(BELIEFS[sys.argv[2]][2]()))
        sys.exit(0)
    sys.exit(0 if print_table() else 1)
