#!/usr/bin/env python3
"""Turns a session directory into an input of session.c: pack.py DIR FILE [WISHES]. Zeroes are left out; processes get
the lowest slots, so that a table of thousands becomes a small one."""

import struct
import sys
from pathlib import Path

PAGE, PROCESS, START, UNIT = 4096, 256, 8192, 64
BLOCK = 64
BYTES_MAX = 1 << 20
SLOTS_AT, SLOTS_MAX_AT, SLOT_IN_LOG = 12, 1332, 12


def pieces(number, data):
    """The parts of a file that are not zero."""
    at, end = 0, len(data)
    while at < end:
        if not any(data[at:at + BLOCK]):
            at += BLOCK
            continue
        stop = at
        while stop < end and stop - at < 32768 and any(data[stop:stop + BLOCK]):
            stop += BLOCK
        part = data[at:stop]
        yield struct.pack("<HHI", number, len(part), at) + part
        at = stop


def pack(place, wishes=15):
    table = bytearray((place / "session").read_bytes())
    slots = struct.unpack_from("<I", table, SLOTS_AT)[0]
    used = [slot for slot in range(slots) if any(table[PAGE + slot * PROCESS:PAGE + (slot + 1) * PROCESS])]
    supervisor = struct.unpack_from("<I", table, SLOTS_MAX_AT)[0] or slots  # the number of its log
    new = {old: number for number, old in enumerate(used)} | {supervisor: len(used)}
    small = table[:PAGE] + b"".join(table[PAGE + slot * PROCESS:PAGE + (slot + 1) * PROCESS] for slot in used)
    struct.pack_into("<I", small, SLOTS_AT, len(used))
    struct.pack_into("<I", small, SLOTS_MAX_AT, len(used))
    for number in range(len(used)):
        at = PAGE + number * PROCESS + PARENT
        parent = struct.unpack_from("<I", small, at)[0]
        struct.pack_into("<I", small, at, new.get(parent - 1, -1) + 1)
    out = [bytes([wishes | 1]), *pieces(0, small)]
    if (place / "exports").exists() and (place / "exports").stat().st_size <= BYTES_MAX:
        out += pieces(1, (place / "exports").read_bytes())
    for log in sorted(place.glob("*.log")):
        old = int(log.stem)
        if old in new:
            out += pieces(new[old] + 2, renumber(bytearray(log.read_bytes()[:BYTES_MAX]), new))
    return b"".join(out)


PARENT = 4


def renumber(log, new):
    """The slots that records name as their writers."""
    struct.pack_into("<I", log, SLOT_IN_LOG, new.get(struct.unpack_from("<I", log, SLOT_IN_LOG)[0], 0))
    at = START
    while at + UNIT <= len(log):
        commit, _, units, _, slot = struct.unpack_from("<IHHII", log, at)
        if commit >> 16 != 0x6d70 or not units:
            at += UNIT
            continue
        struct.pack_into("<I", log, at + 12, new.get(slot, 0))
        at += units * UNIT
    return bytes(log)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(pack(Path(sys.argv[1]), int(sys.argv[3]) if len(sys.argv) > 3 else 15))
