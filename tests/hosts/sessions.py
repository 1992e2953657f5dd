"""Sessions of other hosts and ranks, made of one that was recorded here: its head says where it comes from, and is changed."""

import functools
import os
import struct
from pathlib import Path

# struct mpsan_session up to its host, and struct mpsan_host (include/mpsan_log.h).
START_REAL = 24
HOST = 1096
FIELDS = {"name": (0, "64s"), "boot": (64, "40s"), "launcher": (104, "16s"), "job": (120, "64s"), "rank": (184, "I"),
          "world": (188, "I"), "local": (192, "I"), "clock": (196, "I"), "ahead_ns": (200, "q"),
          "ahead_error_ns": (208, "Q"), "filesystem": (216, "Q"), "max_error_ns": (224, "Q")}
NFS = 0x6969
MEASURED, SYNCED, LOOSE = 1, 2, 4
BLOCK = 1 << 12


@functools.lru_cache(None)
def blocks_of(source):
    """What is not empty of a file, and its length: the table of processes is large."""
    with open(source, "rb") as file:
        data = file.read()
    blocks = ((at, data[at:at + BLOCK]) for at in range(0, len(data), BLOCK))
    return [(at, block) for at, block in blocks if block.count(0) != len(block)], len(data)


def copy_sparse(source, target):
    blocks, length = blocks_of(source)
    with open(target, "wb") as file:
        for at, block in blocks:
            file.seek(at)
            file.write(block)
        file.truncate(length)


def copy_session(source, target, shift_ns=0, **facts):
    """A session as `source`, whose host's clock was ahead by `shift_ns`; `facts` replace those of its host: `rank` and
    `world` are what the launcher said, texts are strings."""
    source, target = Path(source), Path(target)
    target.mkdir(mode=0o700, parents=True)
    for file in source.glob("*.log"):
        os.link(file, target / file.name)
    copy_sparse(source / "session", target / "session")
    with open(target / "session", "r+b") as file:
        head = bytearray(file.read(4096))
        struct.pack_into("=Q", head, START_REAL, struct.unpack_from("=Q", head, START_REAL)[0] + shift_ns)
        for name, value in facts.items():
            at, code = FIELDS[name]
            value = value.encode() if isinstance(value, str) else value
            if name in ("rank", "world", "local"):
                value += 1
            struct.pack_into("=" + code, head, HOST + at, value)
        file.seek(0)
        file.write(head)
    return target


def host_of(session):
    """What the head of a session says of its host."""
    with open(Path(session, "session"), "rb") as file:
        head = file.read(4096)
    facts = {name: struct.unpack_from("=" + code, head, HOST + at)[0] for name, (at, code) in FIELDS.items()}
    return {name: value.split(b"\0")[0].decode() if isinstance(value, bytes) else value for name, value in facts.items()}
