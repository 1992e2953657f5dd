"""Asks the driver for names as a recorded start of the runtime did, and prints the answers: result, status, and the
pointer as library and symbol, so that two processes can be compared.

replay.py FILE [again]; with `again` the rest is asked through the look-up that the driver itself returned.
"""

import ctypes
import re
import sys
from pathlib import Path


class Place(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("symbol", ctypes.c_char_p),
                ("address", ctypes.c_void_p)]


def describe(pointer):
    """LIBRARY:SYMBOL+OFFSET; a function's pointer has the offset 0."""
    place = Place()
    if not pointer:
        return "none"
    found = ctypes.CDLL(None).dladdr(ctypes.c_void_p(pointer), ctypes.byref(place))
    if not found or not place.symbol:
        return "unknown"
    return f"{Path(place.file.decode()).name}:{place.symbol.decode()}+{pointer - place.address}"


def look_up_of(address, with_status):
    tail = [ctypes.c_void_p] if with_status else []
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64, *tail)
    return kind(address)


def ask(look_up, with_status, name, version, flags):
    pointer, status = ctypes.c_void_p(), ctypes.c_int(-1)
    tail = [ctypes.addressof(status)] if with_status else []
    result = look_up(name.encode(), ctypes.addressof(pointer), version, flags, *tail)
    return result, status.value, pointer.value


def main(path, again=False):
    head, *lines = Path(path).read_text().splitlines()
    first = re.search(r"(cuGetProcAddress\w*) for", head)[1]
    with_status = first.endswith("_v2")
    driver = ctypes.CDLL("libcuda.so.1")
    look_up = look_up_of(ctypes.cast(driver[first], ctypes.c_void_p).value, with_status)
    for line in lines:
        name, version, flags = line.split()
        name = "" if name == "-" else name
        result, status, pointer = ask(look_up, with_status, name, int(version), int(flags))
        print(line, result, status, describe(pointer))
        if again and name == "cuGetProcAddress" and int(version) >= 12000:
            look_up, with_status = look_up_of(pointer, True), True


main(*sys.argv[1:])
