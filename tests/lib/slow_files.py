"""A file system whose files stop answering: FUSE, spoken by a process that can be frozen."""

import contextlib
import ctypes
import os
import signal
import stat
import struct
import time
from pathlib import Path

from mpsantest import Skip

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, INIT, OPENDIR, READDIR, FORGET_MANY = 1, 2, 3, 14, 15, 17, 26, 27, 28, 42
ROOT_NODE, FILE_NODE = 1, 2
DETACH = 2


def attributes(node, size):
    kind = stat.S_IFDIR | 0o755 if node == ROOT_NODE else stat.S_IFREG | 0o755
    return struct.pack("<6Q10I", node, size, 1, 0, 0, 0, 0, 0, 0, kind, 1, 0, 0, 0, 4096, 0)


def answer(name, data, code, node, body):
    """What one request gets, or an errno."""
    size = 0 if node == ROOT_NODE else len(data)
    if code == INIT:
        return struct.pack("<4I2H2I9I", 7, 23, 65536, 0, 8, 8, 65536, 1, *[0] * 9)
    if code == LOOKUP:
        if body.rstrip(b"\0").decode() != name:
            return 2
        return struct.pack("<4Q2I", FILE_NODE, 0, 0, 0, 0, 0) + attributes(FILE_NODE, len(data))
    if code == GETATTR:
        return struct.pack("<Q2I", 0, 0, 0) + attributes(node, size)
    if code in (OPEN, OPENDIR):
        return struct.pack("<Q2I", 0, 0, 0)
    if code == READ:
        _, offset, count = struct.unpack_from("<QQI", body)
        return data[offset:offset + count]
    if code == READDIR:
        return b""
    if code == STATFS:
        return struct.pack("<5Q4I24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0)
    return 38


def serve(device, name, data):
    while True:
        request = os.read(device, 1 << 17)
        _, code, unique, node = struct.unpack_from("<IIQQ", request)
        if code in (FORGET, FORGET_MANY):
            continue
        told = answer(name, data, code, node, request[40:])
        error, body = (-told, b"") if isinstance(told, int) else (0, told)
        with contextlib.suppress(FileNotFoundError):  # it was interrupted
            os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)


class SlowFile:
    """`path` has the contents of a file, until freeze()."""

    def __init__(self, source, place):
        self.place = Path(place)
        self.path = self.place / Path(source).name
        self.libc = ctypes.CDLL(None, use_errno=True)
        try:
            device = os.open("/dev/fuse", os.O_RDWR)
        except OSError as error:
            raise Skip(f"no /dev/fuse here: {error.strerror}") from error
        options = f"fd={device},rootmode=40000,user_id=0,group_id=0,default_permissions"
        if self.libc.mount(b"slow", str(place).encode(), b"fuse", 0, options.encode()):
            os.close(device)
            raise Skip(f"no FUSE here: {os.strerror(ctypes.get_errno())}")
        self.server = os.fork()
        if not self.server:
            try:
                serve(device, self.path.name, Path(source).read_bytes())
            finally:
                os._exit(0)
        os.close(device)

    def freeze(self):
        os.kill(self.server, signal.SIGSTOP)
        while Path(f"/proc/{self.server}/stat").read_text().rsplit(")", 1)[1].split()[0] != "T":
            time.sleep(0.01)

    def close(self):
        os.kill(self.server, signal.SIGKILL)
        os.waitpid(self.server, 0)
        self.libc.umount2(str(self.place).encode(), DETACH)


@contextlib.contextmanager
def slow_file(source, place):
    """As a block, after which nothing of it is left."""
    file = SlowFile(source, place)
    try:
        yield file
    finally:
        file.close()
