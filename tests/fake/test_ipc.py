#!/usr/bin/env python3
"""Memory and events of one process in another, on the stand-in for the driver: what is seen, what is refused, and what
becomes of it when somebody frees or dies."""
# cases

import concurrent.futures
import os
import random
import sys
from ctypes import byref, c_int, c_uint64
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from fakecuda import (ALREADY_MAPPED, INVALID_CONTEXT, INVALID_DEVICE, INVALID_HANDLE, INVALID_VALUE, MIB, NOT_PERMITTED,  # noqa: E402
                      NO_PEER, NOT_SUPPORTED, OK, POSIX_FD, AllocationProperties, Driver, Handle, Peer, PoolProperties, alone)
from mpsantest import main  # noqa: E402

SIZE = 4 * MIB
UNKNOWN_ADDRESS = 0x1234000


def start(number=1, **environment):
    """This process's driver, and another process with its own."""
    os.environ["MPSAN_FAKE_DEVICES"] = str(number)
    cuda, peer = Driver().start(), Peer(**environment)
    peer("cuda.start() and 0")
    return cuda, peer


# Legacy handles

def data():
    """Writes go both ways, wherever in its pages the memory begins."""
    cuda, peer = start()
    for count in (1, 64, 1000, 5000, MIB, 3 * MIB):
        pieces = [cuda.allocate(count) for _ in range(3)]
        for number, address in enumerate(pieces):
            last = bytes([number + 65])
            cuda.write(address + count - 1, last)
            result, there = peer(f"cuda.open({cuda.handle(address)})")
            assert result == OK and peer(f"cuda.read({there + count - 1}, 1)") == last
            assert peer(f"cuda.write({there}, b'!')") == OK and cuda.read(address, 1) == b"!"
            assert peer(f"cuda('cuIpcCloseMemHandle', {there})") == OK
            assert peer(f"cuda.write({there}, b'?')") == INVALID_VALUE, "it is closed"


def handles():
    """The same for the same memory, another for what lies there after it."""
    cuda = Driver().start()
    address = cuda.allocate(64)
    first = cuda.handle(address)
    assert first == cuda.handle(address)
    cuda.do("cuMemFree", address)
    assert cuda.allocate(64) == address and cuda.handle(address) != first


def open_twice():
    """By the same context: counted. By another: refused, and so is the same where the driver is an old one."""
    cuda, peer = start()
    handle = cuda.handle(cuda.allocate(64))
    first, second = peer(f"cuda.open({handle})"), peer(f"cuda.open({handle})")
    assert first == second and first[0] == OK
    assert peer("cuda.library.cuCtxCreate_v2(byref(c_uint64()), 0, 0)") == OK
    assert peer(f"cuda.open({handle})")[0] == INVALID_HANDLE
    peer("cuda.do('cuCtxPopCurrent', 0)")
    results = [peer(f"cuda('cuIpcCloseMemHandle', {first[1]})") for _ in range(3)]
    assert results == [OK, OK, INVALID_VALUE]
    _, old = start(MPSAN_FAKE_OPEN_ONCE="1")
    assert [old(f"cuda.open({handle})")[0] for _ in range(2)] == [OK, ALREADY_MAPPED]


def open_at_once():
    """By threads at the same moment: some are refused sooner or later, the others can close it, and none is left open."""
    cuda, peer = start()
    handle, answers = peer("cuda.handle(cuda.allocate(64))"), set()

    def opens():
        cuda.do("cuCtxSetCurrent", cuda.value("cuDevicePrimaryCtxRetain", 0))
        while ALREADY_MAPPED not in answers:
            result, address = cuda.open(handle)
            answers.add(result)
            assert result != OK or cuda("cuIpcCloseMemHandle", address) == OK

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        for future in [threads.submit(opens) for _ in range(4)]:
            future.result()
    assert answers == {OK, ALREADY_MAPPED}
    result, address = cuda.open(handle)
    assert [result, cuda("cuIpcCloseMemHandle", address), cuda("cuIpcCloseMemHandle", address)] == [OK, OK, INVALID_VALUE]


def open_own():
    cuda = Driver().start()
    assert cuda.open(cuda.handle(cuda.allocate(64)))[0] == INVALID_CONTEXT


def open_freed():
    cuda, peer = start()
    address = cuda.allocate(64)
    handle = cuda.handle(address)
    cuda.do("cuMemFree", address)
    assert peer(f"cuda.open({handle})")[0] == INVALID_VALUE
    cuda.handle(cuda.allocate(64))
    assert peer(f"cuda.open({handle})")[0] == INVALID_VALUE, "what lies there now is something else"


def open_of_ended_context():
    cuda, peer = start()
    handle = cuda.handle(cuda.allocate(64))
    cuda.do("cuDevicePrimaryCtxReset", 0)
    assert peer(f"cuda.open({handle})")[0] == INVALID_VALUE


def exporter_killed():
    """Who has it open keeps it; nobody opens it any more."""
    cuda, peer = start()
    address = peer("cuda.allocate(64)")
    peer(f"cuda.write({address}, b'kept')")
    handle, other = peer(f"cuda.handle({address})"), peer("cuda.handle(cuda.allocate(64))")
    result, here = cuda.open(handle)
    assert result == OK
    peer.kill()
    assert cuda.read(here, 4) == b"kept" and cuda.open(handle) == (OK, here)
    assert cuda.open(other)[0] == INVALID_HANDLE


def importer_killed():
    cuda, _ = start()
    address = cuda.allocate(64)
    handle = cuda.handle(address)
    for _ in range(3):
        with Peer() as peer:
            peer("cuda.start() and 0")
            _, there = peer(f"cuda.open({handle})")
            peer(f"cuda.write({there}, b'x')")
    assert cuda.read(address, 1) == b"x"
    cuda.do("cuMemFree", address)


def killed_at_work():
    """Processes that are killed wherever they are leave nothing behind that stops others."""
    cuda, _ = start()
    handles_ = [cuda.handle(cuda.allocate(count)) for count in (64, 5000, SIZE)]
    work = f"[[cuda('cuIpcCloseMemHandle', cuda.open(h)[1]), cuda('cuMemFree', cuda.allocate(99))] for _ in iter(int, 1) for h in {handles_}]"
    for _ in range(8):
        peer = Peer()
        peer("cuda.start() and 0")
        peer.socket.send(work.encode())
        for _ in range(random.randrange(200)):
            assert b"mpsan-fake" in Path(f"/proc/{peer.process.pid}/maps").read_bytes()
        peer.kill()
    with Peer() as peer:
        peer("cuda.start() and 0")
        assert all(peer(f"cuda.open({handle})")[0] == OK for handle in handles_)


def unsupported_memory():
    """Legacy handles are for memory of cuMemAlloc alone."""
    cuda, peer = start()
    pool = cuda.pool(POSIX_FD)
    physical = cuda.create(2 * MIB)
    imported = cuda.open(peer("cuda.handle(cuda.allocate(64))"))[1]
    for what, address in (("managed", cuda.value("cuMemAllocManaged", 64, 1)), ("host", cuda.value("cuMemHostAlloc", 64, 0)),
                          ("default pool", cuda.value("cuMemAllocAsync", 64, 0)),
                          ("pool", cuda.value("cuMemAllocFromPoolAsync", 64, pool, 0)),
                          ("VMM", cuda.map(physical, 2 * MIB)), ("imported", imported), ("nothing", UNKNOWN_ADDRESS)):
        assert cuda("cuIpcGetMemHandle", byref(Handle()), address) == INVALID_VALUE, what


def wrong_arguments():
    cuda, peer = start()
    handle = cuda.handle(cuda.allocate(64))
    assert peer(f"cuda.open({handle}, 0)")[0] == peer("cuda.open(bytes(64))")[0] == INVALID_VALUE
    assert peer(f"cuda('cuIpcCloseMemHandle', {UNKNOWN_ADDRESS})") == INVALID_VALUE
    result, there = peer(f"cuda.open({handle})")
    assert result == OK and peer(f"cuda('cuMemFree', {there})") == INVALID_VALUE, "only closed, never freed"
    assert peer(f"cuda('cuIpcCloseMemHandle', {there + 8})") == INVALID_VALUE
    peer("cuda.do('cuCtxSetCurrent', 0)")
    assert peer(f"cuda.open({handle})")[0] == INVALID_CONTEXT


def devices():
    """Ordinals differ between processes; what counts is the device itself."""
    cuda, peer = start(2)
    cuda.do("cuCtxSetCurrent", cuda.value("cuDevicePrimaryCtxRetain", 1))
    handle = cuda.handle(cuda.allocate(64))
    _, there = peer(f"cuda.open({handle})")
    assert peer(f"cuda.value('cuPointerGetAttribute', 9, {there}, kind=c_int)") == 0, "mapped for the opener's device"
    for environment, want in (({"CUDA_VISIBLE_DEVICES": "1"}, OK), ({"CUDA_VISIBLE_DEVICES": "0"}, INVALID_DEVICE),
                              ({"CUDA_VISIBLE_DEVICES": "0,1", "MPSAN_FAKE_PEERS": "0"}, NO_PEER)):
        with Peer(**environment) as other:
            other("cuda.start() and 0")
            assert other(f"cuda.open({handle})")[0] == want, environment


def events():
    cuda, peer = start()
    event = cuda.value("cuEventCreate", 6)
    handle = Handle()
    cuda.do("cuIpcGetEventHandle", byref(handle), event)
    open_ = f"cuda.value('cuIpcOpenEventHandle', Handle.from_buffer_copy({bytes(handle)}))"
    there = peer(open_)
    assert peer(f"cuda('cuStreamWaitEvent', 0, {there}, 0)") == peer(f"cuda('cuEventDestroy', {there})") == OK
    assert cuda("cuEventCreate", byref(c_uint64()), 4) == INVALID_VALUE, "it must have no time"
    plain = cuda.value("cuEventCreate", 0)
    assert cuda("cuIpcGetEventHandle", byref(handle), plain) == INVALID_VALUE
    assert cuda("cuIpcOpenEventHandle", byref(c_uint64()), handle) == INVALID_CONTEXT, "one's own"
    cuda.do("cuEventDestroy", event)
    gone = open_.replace("cuda.value('cuIpcOpenEventHandle',", "cuda('cuIpcOpenEventHandle', byref(c_uint64()),")
    assert peer(gone) == INVALID_HANDLE


# Physical memory by file descriptor

def vmm():
    cuda, peer = start()
    handle = cuda.create(SIZE, POSIX_FD)
    address = cuda.map(handle, SIZE)
    cuda.write(address + SIZE - 4, b"here")
    fd = cuda.export_fd(handle)
    there = peer(f"cuda.map(cuda.import_fd(fd), {SIZE})", fd)
    assert peer(f"cuda.read({there + SIZE - 4}, 4)") == b"here"
    peer(f"cuda.write({there}, b'there')")
    assert cuda.read(address, 5) == b"there"
    again = cuda.value("cuMemRetainAllocationHandle", address + 5)
    assert again == handle
    cuda.do("cuMemRelease", handle)
    cuda.do("cuMemRelease", handle)
    assert cuda("cuMemRelease", handle) == INVALID_VALUE
    assert cuda.read(address, 5) == b"there", "a mapping keeps it"
    assert cuda("cuMemAddressFree", address, SIZE) == INVALID_VALUE, "still mapped"
    cuda.do("cuMemUnmap", address, SIZE)
    assert cuda.write(address, b"x") == INVALID_VALUE
    cuda.do("cuMemAddressFree", address, SIZE)
    assert peer(f"cuda.read({there}, 5)") == b"there", "the other process keeps it, too"


def vmm_exporter_killed():
    cuda, peer = start()
    handle = peer(f"cuda.create({SIZE}, POSIX_FD)")
    peer(f"cuda.write(cuda.map({handle}, {SIZE}), b'kept')")
    number = peer(f"cuda.export_fd({handle})")
    fd = os.open(f"/proc/{peer.process.pid}/fd/{number}", os.O_RDWR)
    peer.kill()
    assert cuda.read(cuda.map(cuda.import_fd(fd), SIZE), 4) == b"kept"


def vmm_segments():
    """Addresses that grow piece by piece, as those of expandable segments do."""
    cuda = Driver().start()
    address = cuda.value("cuMemAddressReserve", 4 * SIZE, 0, 0, 0)
    parts = [cuda.create(SIZE, i % 2) for i in range(4)]
    for number, part in enumerate(parts):
        cuda.do("cuMemMap", address + number * SIZE, SIZE, 0, part, 0)
    assert cuda("cuMemMap", address, SIZE, 0, parts[0], 0) == INVALID_VALUE, "already mapped there"
    assert cuda.write(address, b"x") == INVALID_VALUE, "no access yet"
    access = b"\1\0\0\0\0\0\0\0\3\0\0\0"
    cuda.do("cuMemSetAccess", address, 4 * SIZE, access, 1)
    assert cuda.write(address + SIZE - 2, b"over") == OK and cuda.read(address + SIZE - 2, 4) == b"over"
    assert cuda("cuMemUnmap", address, SIZE + SIZE // 2) == INVALID_VALUE, "half a piece"
    cuda.do("cuMemUnmap", address + SIZE, 2 * SIZE)
    assert cuda.write(address + SIZE - 2, b"over") == INVALID_VALUE
    cuda.do("cuMemUnmap", address, SIZE)
    cuda.do("cuMemUnmap", address + 3 * SIZE, SIZE)
    for part in parts:
        cuda.do("cuMemRelease", part)
    cuda.do("cuMemAddressFree", address, 4 * SIZE)


def vmm_refused():
    cuda, peer = start(2)
    plain = cuda.create(2 * MIB)
    assert cuda("cuMemExportToShareableHandle", byref(c_int()), plain, POSIX_FD, 0) == INVALID_VALUE
    properties = AllocationProperties(1, POSIX_FD, 1, 0)
    assert cuda("cuMemCreate", byref(c_uint64()), MIB, byref(properties), 0) == INVALID_VALUE, "granularity"
    fabric, beyond = AllocationProperties(1, 8, 1, 0), AllocationProperties(1, 0, 1, 5)
    assert cuda("cuMemCreate", byref(c_uint64()), 2 * MIB, byref(fabric), 0) == NOT_PERMITTED
    assert cuda("cuMemCreate", byref(c_uint64()), 2 * MIB, byref(beyond), 0) == INVALID_DEVICE
    read_end, _ = os.pipe()
    for fd in (read_end, os.open("/dev/null", os.O_RDWR), 999):
        assert cuda("cuMemImportFromShareableHandle", byref(c_uint64()), fd, POSIX_FD) == INVALID_VALUE
    fd = cuda.export_fd(cuda.create(2 * MIB, POSIX_FD, 1))
    with Peer(CUDA_VISIBLE_DEVICES="0") as other:
        other("cuda.start() and 0")
        result = other("cuda('cuMemImportFromShareableHandle', byref(c_uint64()), fd, POSIX_FD)", fd)
        assert result == INVALID_DEVICE, "a device that is not visible"


# Pools

def pools():
    cuda, peer = start()
    pool = cuda.pool(POSIX_FD)
    address = cuda.value("cuMemAllocFromPoolAsync", 5000, pool, 0)
    cuda.write(address, b"pool")
    fd = cuda.export_fd(pool, "cuMemPoolExportToShareableHandle")
    there = peer("cuda.value('cuMemPoolImportFromShareableHandle', fd, POSIX_FD, 0)", fd)
    data_ = Handle()
    cuda.do("cuMemPoolExportPointer", byref(data_), address)
    import_ = f"byref(Handle.from_buffer_copy({bytes(data_)}))"
    mapped = peer(f"cuda.value('cuMemPoolImportPointer', {there}, {import_})")
    assert peer(f"cuda.read({mapped}, 4)") == b"pool" and peer(f"cuda.write({mapped}, b'POOL')") == OK
    assert cuda.read(address, 4) == b"POOL"
    assert peer(f"cuda('cuMemAllocFromPoolAsync', byref(c_uint64()), 64, {there}, 0)") == INVALID_VALUE, "nothing new"
    assert peer(f"cuda('cuMemFreeAsync', {mapped}, 0)") == OK
    assert peer(f"cuda.write({mapped}, b'x')") == INVALID_VALUE
    cuda.do("cuMemFreeAsync", address, 0)
    assert peer(f"cuda('cuMemPoolImportPointer', byref(c_uint64()), {there}, {import_})") == INVALID_HANDLE, "it was freed"


def pools_refused():
    cuda = Driver().start()
    plain, default = cuda.pool(), cuda.value("cuDeviceGetDefaultMemPool", 0)
    for pool in (plain, default):
        result = cuda("cuMemPoolExportToShareableHandle", byref(c_int()), pool, POSIX_FD, 0)
        assert result == INVALID_VALUE, "not made to be exported"
    address = cuda.value("cuMemAllocFromPoolAsync", 64, plain, 0)
    assert cuda("cuMemPoolExportPointer", byref(Handle()), address) == INVALID_VALUE
    assert cuda("cuMemPoolDestroy", default) == INVALID_VALUE
    fabric = PoolProperties(1, 8, 1, 0)
    assert cuda("cuMemPoolCreate", byref(c_uint64()), byref(fabric)) == NOT_SUPPORTED
    assert cuda("cuMemFreeAsync", cuda.allocate(64), 0) == OK


def pool_ends_last():
    """A pool that is destroyed takes no more, and lives on until what came from it is freed."""
    cuda = Driver().start()
    for types in (0, POSIX_FD):
        pool = cuda.pool(types)
        address = cuda.value("cuMemAllocFromPoolAsync", 64, pool, 0)
        cuda.do("cuDeviceSetMemPool", 0, pool)
        cuda.do("cuMemPoolDestroy", pool)
        assert cuda("cuMemAllocFromPoolAsync", byref(c_uint64()), 64, pool, 0) == INVALID_VALUE
        assert cuda.write(address, b"still") == OK and cuda.read(address, 5) == b"still"
        cuda.do("cuMemFree", address)
        assert cuda.write(address, b"x") == INVALID_VALUE
        cuda.value("cuMemAllocAsync", 64, 0)


CASES = (data, handles, open_twice, open_at_once, open_own, open_freed, open_of_ended_context, exporter_killed,
         importer_killed, killed_at_work, unsupported_memory, wrong_arguments, devices, events, vmm,
         vmm_exporter_killed, vmm_segments, vmm_refused, pools, pools_refused, pool_ends_last)

main({case.__name__: alone(case) for case in CASES})
