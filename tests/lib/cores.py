"""Core files for tests: written by gcore or the kernel, shortened to what matters, and damaged."""

import contextlib
import os
import platform
import random
import resource
import shutil
import struct
import subprocess
import time
from pathlib import Path

from mpsantest import Skip

PAGE = 4096
HEADER, SEGMENT, NOTE = struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQQQ"), struct.Struct("<III")
NT_PRSTATUS, NT_FILE, NT_AUXV = 1, 0x46494C45, 6
RDI, RSP, FS_BASE = 14, 19, 21  # of the registers, which begin at byte 112 of NT_PRSTATUS


def still(pid, threads):
    """Returns when the process has so many threads, and all have stood in their system calls for a while."""
    seen = None
    while True:
        with contextlib.suppress(OSError):
            tasks = sorted(Path(f"/proc/{pid}/task").iterdir())
            now = [(task.name, (task / "syscall").read_text(), (task / "schedstat").read_text()) for task in tasks]
            if len(now) == threads and now == seen and not any("running" in call for _, call, _ in now):
                return
            seen = now
        time.sleep(0.2)


def need_registers():
    if platform.machine() == "aarch64":
        raise Skip("mpsan refuses core files of aarch64: what a thread waits for is not in them")


def gcore(pid, place):
    need_registers()
    if not shutil.which("gcore"):
        raise Skip("no gcore (gdb)")
    run = subprocess.run(["gcore", "-o", Path(place, "gcore"), str(pid)], capture_output=True, text=True)
    path = Path(place, f"gcore.{pid}")
    assert path.exists(), run
    return path


def may_dump(place):
    """For subprocess's preexec_fn: lets a program leave a core file in its directory."""
    need_registers()
    pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if "/" in pattern or pattern.startswith("|") or not pattern.startswith("core"):
        raise Skip(f"the kernel writes no core files here (core_pattern {pattern})")
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[0], resource.RLIM_INFINITY))
    except (ValueError, OSError):
        raise Skip("core files are not allowed (ulimit -c)") from None

    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        os.chdir(place)

    return prepare


def kernel_core(pid, place, number):
    """Ends a process, which was started with may_dump, by a signal."""
    known = set(Path(place).glob("core*"))
    os.kill(pid, number)
    while True:
        try:
            ended = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            ended = True
        if ended:
            break
        time.sleep(0.05)
    (path,) = set(Path(place).glob("core*")) - known
    return path.rename(Path(place, f"kernel.{pid}"))


def notes_of(data, segment):
    _, _, offset, _, _, size, _, _ = segment
    at, end = offset, offset + size
    while at + NOTE.size <= end:
        name, length, kind = NOTE.unpack_from(data, at)
        begin = at + NOTE.size + (name + 3 & ~3)
        yield kind, data[at:begin + (length + 3 & ~3)], data[begin:begin + length]
        at = begin + (length + 3 & ~3)


def segments_of(data):
    head = HEADER.unpack_from(data)
    return [SEGMENT.unpack_from(data, head[5] + i * SEGMENT.size) for i in range(head[10])]


def shortened(data, pages_of_stack=3):
    """A small core with the same threads and mapped files: pages of stacks, descriptors, locks and ELF headers."""
    segments = segments_of(data)
    loads = [segment for segment in segments if segment[0] == 1]
    notes = [note for segment in segments if segment[0] == 4 for note in notes_of(data, segment)]
    kept = [whole for kind, whole, _ in notes if kind in (NT_PRSTATUS, NT_FILE, NT_AUXV)]
    wanted = set()
    for kind, _, body in notes:
        if kind == NT_PRSTATUS:
            regs = struct.unpack_from("<27Q", body, 112)
            wanted |= {regs[RSP] // PAGE + i for i in range(pages_of_stack)}
            wanted |= {regs[RDI] // PAGE, regs[FS_BASE] // PAGE}
    pages = []
    for _, rights, offset, start, _, size, _, _ in loads:
        for at in range(0, size - PAGE + 1, PAGE):
            page = data[offset + at:offset + at + PAGE]
            if (start + at) // PAGE in wanted or page[:4] == b"\x7fELF":
                pages.append((rights, start + at, page))
    text = b"".join(kept)
    count = 1 + len(pages)
    begin = HEADER.size + count * SEGMENT.size
    first = begin + len(text) + PAGE - 1 & ~(PAGE - 1)
    head = list(HEADER.unpack_from(data))
    head[5], head[6], head[10], head[11:] = HEADER.size, 0, count, [0, 0, 0]
    table = [SEGMENT.pack(4, 0, begin, 0, 0, len(text), 0, 4)]
    table += [SEGMENT.pack(1, rights, first + i * PAGE, start, 0, PAGE, PAGE, PAGE)
              for i, (rights, start, _) in enumerate(pages)]
    out = HEADER.pack(*head) + b"".join(table) + text
    return out + b"\0" * (first - len(out)) + b"".join(page for _, _, page in pages)


def damaged(data, seed):
    """The same with some bytes, words or lengths changed, always by the same seed."""
    dice = random.Random(seed)
    out = bytearray(data)
    heads = min(len(out), 8192)
    for _ in range(dice.choice((1, 2, 4, 16))):
        at = dice.randrange(heads if dice.random() < 0.7 else len(out)) & ~7
        word = dice.choice((0, 1, 2**64 - 1, 2**63, 2**32, 4096, len(out), dice.getrandbits(64), dice.getrandbits(16)))
        if dice.random() < 0.3:
            out[at] ^= 1 << dice.randrange(8)
        else:
            out[at:at + 8] = word.to_bytes(8, "little")
    if dice.random() < 0.15:
        del out[dice.randrange(len(out)):]
    return bytes(out)


def renumbered(data, before, after):
    """The same core of a process, and main thread, with another PID."""
    out = bytearray(data)
    for segment in segments_of(data):
        if segment[0] == 1:
            continue
        at, end = segment[2], segment[2] + segment[5]
        while at + NOTE.size <= end:
            name, length, kind = NOTE.unpack_from(data, at)
            begin = at + NOTE.size + (name + 3 & ~3)
            if kind == NT_PRSTATUS and int.from_bytes(data[begin + 32:begin + 36], "little") == before:
                out[begin + 32:begin + 36] = after.to_bytes(4, "little")
                base = struct.unpack_from("<27Q", data, begin + 112)[FS_BASE]
                for load in segments_of(data):
                    if load[0] == 1 and load[3] <= base < load[3] + load[5]:
                        place = load[2] + base - load[3] + 0x2d0
                        out[place:place + 4] = after.to_bytes(4, "little")
            at = begin + (length + 3 & ~3)
    return bytes(out)
