"""A Python that says that it is of a version which nobody has seen yet: a copy of one of today's with another number."""

import re
import struct
import subprocess
from pathlib import Path

VERSION_WORD, TABLE_WORD = 1, 8  # of _Py_DebugOffsets: its version; the bytes of a word
FIRST_MOVED, LAST_MOVED = 19, 80  # from the size of PyThreadState on


def symbols(program):
    """{name: address} of what it exports."""
    lines = subprocess.run(["readelf", "-W", "--dyn-syms", program], check=True, text=True, stdout=subprocess.PIPE).stdout
    return {name.partition("@")[0]: int(value, 16)
            for value, name in re.findall(r"^ *\d+: ([0-9a-f]{16}) .* (\S+)$", lines, re.M)}


def place(program, address):
    """Where in the file the byte of that address is."""
    lines = subprocess.run(["readelf", "-W", "-l", program], check=True, text=True, stdout=subprocess.PIPE).stdout
    for offset, start, size in re.findall(r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", lines):
        if int(start, 16) <= address < int(start, 16) + int(size, 16):
            return int(offset, 16) + address - int(start, 16)
    raise AssertionError(f"{program}: no byte at {address:#x} in the file")


def make_newer(program, to, minor, moved=False):
    """Copies `program` as version 3.`minor`; `moved`: its table of offsets has one word more in its middle."""
    image = bytearray(Path(program).read_bytes())
    version = 3 << 24 | minor << 16 | 0xf0
    at = symbols(program)
    table = place(program, at["_PyRuntime"])
    assert image[table:table + 8] == b"xdebugpy", f"{program}: no table of offsets"
    for where in (place(program, at["Py_Version"]), table + VERSION_WORD * TABLE_WORD):
        struct.pack_into("<Q", image, where, version)
    if moved:
        first, last = (table + word * TABLE_WORD for word in (FIRST_MOVED, LAST_MOVED))
        image[first + TABLE_WORD:last + TABLE_WORD] = image[first:last]
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(image)
    to.chmod(0o755)
    return to
