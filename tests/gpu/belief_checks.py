"""Checks of what tests/fake/README.md believes, by the beginning of the belief there. Each runs in a process of its own
and ends in agree(); several may check one belief. Nothing here knows whether the driver is the real one."""

import concurrent.futures
import ctypes
import os
import re
import reprlib
import threading

from belief_tools import (BYTES, Peer, create, fetch, free, from_pool, import_pool, import_virtual, in_child, make,
                          make_pool, make_virtual, mapped, pool_descriptor, read_virtual)
from cuda_calls import Driver, Handle, Runtime, result_of
from mpsantest import ROOT

CHECKS = []  # (beginning of the belief, number of devices, function)
NO_TYPE, FABRIC = 0, 8


class NotAsked(Exception):
    """There is not what it takes to ask."""


class Refuted(Exception):
    """What came, and what was believed."""


def belief(beginning, devices=1):
    def enter(function):
        CHECKS.append((beginning, devices, function))
        return function
    return enter


def agree(came, believed):
    if came != believed:
        raise Refuted(f"came {reprlib.repr(came)}, believed {reprlib.repr(believed)}")


def code(library, name, *arguments):
    return result_of(getattr(library, name), *arguments)


def number():
    return ctypes.byref(ctypes.c_uint64())


def used():
    driver = Driver()
    driver.use()
    return driver


# Start and fork

@belief("every call before `cuInit`")
def before_init():
    driver = Driver()
    agree([code(driver, "cuDeviceGetCount", number()), code(driver, "cuCtxGetCurrent", number()),
           code(driver, "cuMemAlloc_v2", number(), BYTES)], [3, 3, 3])


def harmless(driver):
    """Calls that need no driver that was initialised."""
    return [code(driver, "cuDriverGetVersion", number()), code(driver, "cuGetErrorName", 3, number()),
            code(driver, "cuGetErrorString", 3, number()),
            code(driver, "cuGetProcAddress_v2", b"cuInit", number(), 12000, 0, None)]


@belief("only `cuInit`, `cuDriverGetVersion`")
def works_before_init():
    agree(harmless(Driver()), [0, 0, 0, 0])


@belief("in a forked child of a process that called `cuInit`")
def init_in_child():
    driver = Driver()
    driver.cuInit(0)
    agree(in_child(lambda: [code(driver, "cuInit", 0), code(driver, "cuDeviceGetCount", number())]), [3, 3])


@belief("the current device is asked of the driver")
def device_in_child():
    runtime = Runtime()
    runtime.allocate(BYTES)
    agree(in_child(lambda: code(runtime, "cudaGetDevice", ctypes.byref(ctypes.c_int()))), 3)


@belief("but the runtime knows the number of devices")
def count_in_child():
    there, runtime = in_child(lambda: Runtime().devices()), Runtime()
    runtime.allocate(BYTES)
    agree(in_child(runtime.devices), there)


@belief("all other calls in that child")
def calls_in_child():
    driver, runtime = used(), Runtime()
    memory = runtime.allocate(BYTES)

    def calls():
        return [code(driver, "cuMemAlloc_v2", number(), BYTES), code(driver, "cuCtxSynchronize"),
                result_of(runtime.free, memory), result_of(runtime.read, memory, 1),
                result_of(runtime.allocate, BYTES)]

    agree(in_child(lambda: [calls(), in_child(calls)]), [[3] * 5] * 2)


@belief("asking for an error's name")
def questions_in_child():
    driver = used()
    agree(in_child(lambda: harmless(driver)), [0, 0, 0, 0])


@belief("`cudaGetDeviceCount` poisons children")
def count_poisons():
    runtime = Runtime()
    runtime.devices()
    agree(in_child(lambda: result_of(runtime.allocate, BYTES)), 3)


@belief("a fork before `cuInit`")
def fork_first():
    runtime, driver = Runtime(), Driver()
    agree(in_child(lambda: [code(driver, "cuInit", 0), result_of(runtime.allocate, BYTES)]), [0, 0])


@belief("no visible device")
def none_visible():
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    agree(code(Driver(), "cuInit", 0), 100)


# Names

def look_up(driver, name, version, flags=0):
    """(result, address, status)"""
    address, status = ctypes.c_void_p(), ctypes.c_int(-1)
    result = code(driver, "cuGetProcAddress_v2", name, ctypes.byref(address), version, flags, ctypes.byref(status))
    return result, address.value, status.value


def exported(name):
    return ctypes.cast(getattr(ctypes.CDLL("libcuda.so.1"), name), ctypes.c_void_p).value


@belief("a look-up answers with the newest symbol")
def newest_symbol():
    driver = Driver()
    agree([look_up(driver, b"cuMemAlloc", 11000)[1], look_up(driver, b"cuNoSuchCall", 11000)[2],
           look_up(driver, b"cuMemAllocAsync", 10000)[2]], [exported("cuMemAlloc_v2"), 1, 2])


@belief("flag 2 prefers")
def per_thread_symbol():
    driver = Driver()
    agree([look_up(driver, b"cuMemAllocAsync", 12000, 2)[1], look_up(driver, b"cuMemAlloc", 12000, 2)[1]],
           [exported("cuMemAllocAsync_ptsz"), exported("cuMemAlloc_v2")])


@belief("an empty name is merely unknown")
def bad_names():
    driver, version = Driver(), ctypes.c_int()
    driver.cuDriverGetVersion(ctypes.byref(version))
    agree([look_up(driver, b"", 0), look_up(driver, b"cuInit", version.value + 1000)[0],
           code(driver, "cuGetProcAddress", b"cuNoSuchCall", number(), 11030, 0)], [(0, None, 1), 1, 500])


@belief("all functions have addresses of their own")
def own_addresses():
    library, rows = ctypes.CDLL("libcuda.so.1"), (ROOT / "shim/hooks_cuda.def").read_text()
    names = re.findall(r"^HOOK\(libcuda, (\w+),", rows, re.M)
    there = [exported(name) for name in names if hasattr(library, name)]
    agree([len(there) > 100, len(set(there))], [True, len(there)])


# Devices and contexts

@belief("`CUDA_VISIBLE_DEVICES` is read once")
def visible_once():
    os.environ["CUDA_VISIBLE_DEVICES"] = "0,nonsense,0"
    driver = used()
    before = driver.devices()
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    agree([before, driver.devices()], [1, 1])


def uuid_of(ordinal):
    driver, uuid = used(), ctypes.create_string_buffer(16)
    driver.cuDeviceGetUuid_v2(uuid, ordinal)
    return uuid.raw


@belief("UUIDs belong to the physical device", devices=2)
def uuid_stays():
    def hidden():
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        return uuid_of(0)

    agree(in_child(hidden), in_child(lambda: uuid_of(1)))


@belief("calls that need a context and have none")
def no_context():
    driver = Driver()
    driver.cuInit(0)
    agree(code(driver, "cuMemAlloc_v2", number(), BYTES), 201)


@belief("what was allocated or opened in a context ends with it")
def context_ends():
    runtime = Runtime()
    memory = runtime.allocate(BYTES)
    runtime.cudaDeviceReset()
    agree(result_of(runtime.free, memory), 1)


# Legacy IPC

@belief("handles have 64 bytes")
def handles_are_names():
    runtime, seen = Runtime(), set()
    for _ in range(10):
        memory = runtime.allocate(BYTES)
        seen |= {runtime.export(memory), runtime.export(memory)}
        runtime.free(memory)
    agree(len(seen), 10)


@belief("an address inside is taken")
def inner_address():
    peer, runtime = Peer(lambda state: make(state) and state["runtime"].export(state["memory"] + 4096)), Runtime()
    agree(runtime.read(runtime.open(peer()), BYTES), b"m" * BYTES)


def refused_export(allocate):
    """What the handle of such memory comes to."""
    runtime, memory = Runtime(), ctypes.c_void_p()
    allocate(runtime, ctypes.byref(memory))
    runtime.cudaDeviceSynchronize()
    return result_of(runtime.export, memory.value)


@belief("managed memory")
def managed():
    agree(refused_export(lambda runtime, memory: runtime.cudaMallocManaged(memory, BYTES, 1)), 1)


@belief("memory of `cuMemAllocAsync`")
def asynchronous():
    agree(refused_export(lambda runtime, memory: runtime.cudaMallocAsync(memory, BYTES, None)), 1)


@belief("VMM memory: refused")
def virtual():
    driver = used()
    agree(code(driver, "cuIpcGetMemHandle", ctypes.byref(Handle()), mapped(driver, create(driver))), 1)


@belief("host memory, imported memory, unknown addresses")
def not_ours():
    peer, runtime = Peer(make), Runtime()
    imported = runtime.open(peer())
    agree([refused_export(lambda other, memory: other.cudaMallocHost(memory, BYTES)),
           result_of(runtime.export, imported), result_of(runtime.export, 4096)], [1, 1, 1])


@belief("opening one's own handle")
def own_handle():
    runtime = Runtime()
    agree(result_of(runtime.open, runtime.export(runtime.allocate(BYTES))), 201)


@belief("opening again in the same context counts")
def open_twice():
    peer, runtime = Peer(make), Runtime()
    handle = peer()
    memory = runtime.open(handle)
    agree([runtime.open(handle), [result_of(runtime.close, memory) for _ in range(3)]], [memory, [0, 0, 1]])


@belief("of threads that open one handle at the same moment")
def open_at_once():
    peer, runtime = Peer(make), Runtime()
    handle = peer()

    def opens(_):
        return {result_of(lambda: runtime.close(runtime.open(handle))) for _ in range(500)}

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        results = set().union(*threads.map(opens, range(4)))
    agree(sorted(results | {208}), [0, 208])


@belief("another context of the same device is refused")
def open_in_two_contexts():
    peer, driver, context = Peer(make), used(), ctypes.c_void_p()
    handle = Handle.from_buffer_copy(peer())
    driver.cuIpcOpenMemHandle_v2(number(), handle, 1)
    driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
    agree(code(driver, "cuIpcOpenMemHandle_v2", number(), handle, 1), 400)


@belief("opening after the exporter freed it")
def open_late():
    peer, orphan, runtime = Peer(make, free), Peer(make), Runtime()
    freed, orphaned = peer(), orphan()
    peer(1)
    orphan.end()
    agree([result_of(runtime.open, handle) for handle in (freed, orphaned)], [1, 400])


@belief("flags other than 1")
def open_badly():
    peer, driver = Peer(make), used()
    handle = Handle.from_buffer_copy(peer())
    agree([code(driver, "cuIpcOpenMemHandle_v2", number(), handle, 0),
           code(driver, "cuIpcOpenMemHandle_v2", number(), Handle(), 1)], [1, 1])


@belief("the exporter's device is not visible here", devices=2)
def open_hidden():
    def make_on_second(state):
        Runtime().cudaSetDevice(1)
        return make(state)

    peer = Peer(make_on_second)
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    agree(result_of(Runtime().open, peer()), 101)


@belief("memory is mapped for the opener's current device", devices=2)
def open_from_second():
    peer, driver, device = Peer(make), Driver(), ctypes.c_int(-1)
    driver.use(1)
    address = ctypes.c_uint64()
    if code(driver, "cuIpcOpenMemHandle_v2", ctypes.byref(address), Handle.from_buffer_copy(peer()), 1) == 217:
        raise NotAsked("these devices do not reach each other")
    driver.cuPointerGetAttribute(ctypes.byref(device), 9, address)
    agree(device.value, 1)


@belief("freed or exporter dead while open")
def open_outlives():
    peer, runtime = Peer(make, free), Runtime()
    memory = runtime.open(peer())
    freed = peer(1)
    peer.end()
    agree([freed, result_of(runtime.read, memory, BYTES)], [0, 0])


@belief("closing what is not open")
def close_badly():
    peer, runtime = Peer(make), Runtime()
    memory = runtime.open(peer())
    agree([result_of(runtime.close, runtime.allocate(BYTES)), result_of(runtime.close, memory + 4096),
           result_of(runtime.free, memory)], [1, 1, 1])


# Events

def event(runtime, flags):
    made = ctypes.c_void_p()
    runtime.cudaEventCreateWithFlags(ctypes.byref(made), flags)
    return made


@belief("an interprocess event must be without timing")
def timed_event():
    agree(result_of(event, Runtime(), 4), 1)


@belief("opening one's own event")
def own_event():
    runtime, handle = Runtime(), Handle()
    runtime.cudaIpcGetEventHandle(ctypes.byref(handle), event(runtime, 2 | 4))
    agree(code(runtime, "cudaIpcOpenEventHandle", number(), handle), 201)


# VMM

@belief("sizes are multiples of 2 MiB")
def sizes():
    driver = used()
    piece = create(driver)
    address = mapped(driver, piece)
    agree([result_of(create, driver, 1, 4096), code(driver, "cuMemMap", address, BYTES, 0, piece, 0)], [1, 1])


@belief("without the handle type asked for")
def private_memory():
    driver, descriptor = used(), ctypes.byref(ctypes.c_int(-1))
    agree([code(driver, "cuMemExportToShareableHandle", descriptor, create(driver, NO_TYPE), 1, 0),
           result_of(create, driver, FABRIC)], [1, 800])


@belief("memory lives while a handle, a mapping or a descriptor does")
def virtual_outlives():
    peer, driver = Peer(make_virtual), used()
    address = import_virtual(driver, fetch(peer.pid, peer()))
    peer.end()
    agree(read_virtual(driver, address), b"v" * BYTES)


@belief("received memory cannot be exported by descriptor")
def virtual_again():
    peer, driver, piece = Peer(make_virtual), used(), ctypes.c_uint64()
    driver.cuMemImportFromShareableHandle(ctypes.byref(piece), ctypes.c_void_p(fetch(peer.pid, peer())), 1)
    agree(code(driver, "cuMemExportToShareableHandle", ctypes.byref(ctypes.c_int()), piece, 1, 0), 1)


@belief("a process may import its own descriptor")
def own_descriptor():
    state = {}
    descriptor = make_virtual(state)
    agree(read_virtual(state["driver"], import_virtual(state["driver"], descriptor)), b"v" * BYTES)


@belief("copies to mapped addresses without access")
def no_access():
    raise NotAsked("the real driver might fault")


# Pools

@belief("default pools, and pools made without")
def private_pools():
    driver, pool = used(), ctypes.c_void_p()
    driver.cuDeviceGetDefaultMemPool(ctypes.byref(pool), 0)
    agree([result_of(pool_descriptor, driver, each) for each in (pool, make_pool(driver, NO_TYPE))], [1, 1])


def share_pool(state):
    state["driver"] = driver = used()
    state["pool"] = pool = make_pool(driver)
    state["address"], state["data"] = from_pool(driver, pool), Handle()
    descriptor = pool_descriptor(driver, pool)
    driver.cuMemPoolExportPointer(ctypes.byref(state["data"]), state["address"])
    return descriptor, bytes(state["data"].bytes)


@belief("a pointer is exported only after its pool")
def pointer_first():
    driver = used()
    pool = make_pool(driver)
    address = from_pool(driver, pool)
    results = [code(driver, "cuMemPoolExportPointer", ctypes.byref(Handle()), address)]
    pool_descriptor(driver, pool)
    agree(results + [code(driver, "cuMemPoolExportPointer", ctypes.byref(Handle()), address)], [1, 0])


@belief("an imported pool allocates nothing")
def imported_pool():
    peer, driver = Peer(share_pool), used()
    agree(result_of(from_pool, driver, import_pool(driver, fetch(peer.pid, peer()[0]))), 1)


@belief("a destroyed pool lives on")
def pool_ends_late():
    driver = used()
    pool = make_pool(driver)
    address = from_pool(driver, pool)
    driver.cuMemPoolDestroy(pool)
    agree([code(driver, "cuMemsetD8_v2", address, 1, BYTES), code(driver, "cuMemFreeAsync", address, None)], [0, 0])


@belief("`cuMemFreeAsync` takes memory of")
def free_wrongly():
    driver, address = used(), ctypes.c_uint64()
    driver.cuMemAlloc_v2(ctypes.byref(address), BYTES)
    agree(code(driver, "cuMemFreeAsync", address, None), 0)


# Runtime

@belief("numbers of errors are the driver's")
def numbers():
    agree([result_of(Runtime().allocate, 1 << 60), code(Driver(), "cuMemAlloc_v2", number(), 1 << 60)], [2, 2])


@belief("the last error is each thread's own")
def last_error():
    runtime, other = Runtime(), []
    result_of(runtime.close, 4096)
    thread = threading.Thread(target=lambda: other.append(code(runtime, "cudaGetLastError")))
    thread.start()
    thread.join()
    agree([other, [code(runtime, "cudaGetLastError") for _ in range(2)]], [[0], [1, 0]])


@belief("the first call that needs a device")
def primary_context():
    runtime, driver, version, active = Runtime(), Driver(), ctypes.c_int(), ctypes.c_int()
    runtime.cudaRuntimeGetVersion(ctypes.byref(version))
    if version.value >= 12000:
        runtime.cudaSetDevice(0)
    else:
        runtime.allocate(BYTES)
    driver.cuDevicePrimaryCtxGetState(0, ctypes.byref(ctypes.c_uint()), ctypes.byref(active))
    agree(active.value, 1)
