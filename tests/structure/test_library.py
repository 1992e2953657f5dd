#!/usr/bin/env python3
"""What the library demands of the program that it is loaded into: symbols, dependencies, thread-local memory, stack."""
# cases

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, LIBRARY, ROOT, main  # noqa: E402

OBJECTS = BUILD / "obj/shim"
NEWEST = (2, 17)
TLS_BYTES = 128
HOT_STACK, ANY_STACK = 512, 4096
ON_REQUEST = {"exec_restored", "spawn_restored"}  # copies of environments, of at most 8 KiB
HOT = ("hooks/lock.c.su", "hooks/sync.c.su", "hooks/libc.c.su", "hooks/openmp.c.su")  # with the inlines of thread.h


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def allowed_imports():
    lines = (ROOT / "tests/structure/imports.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def imports():
    """[(kind, name@VERSION)]"""
    return [tuple(line.split()) for line in output("nm", "-D", "--undefined-only", LIBRARY).splitlines()]


def check_imports():
    unknown = {name for _, name in imports()} - allowed_imports()
    assert not unknown, f"not in imports.txt: {sorted(unknown)}"
    strong = [name for kind, name in imports() if kind == "U"]
    assert strong == ["__errno_location@GLIBC_2.2.5"], strong


def check_versions():
    needs = re.findall(r"Name: GLIBC_([\d.]+)", output("readelf", "-VW", LIBRARY))
    new = [version for version in needs if tuple(map(int, version.split("."))) > NEWEST]
    assert not new, f"needs GLIBC_{new}"


def check_dependencies():
    dynamic = output("readelf", "-dW", LIBRARY)
    assert re.findall(r"NEEDED.*\[(.*)\]", dynamic) == ["libc.so.6"], dynamic
    assert "TEXTREL" not in dynamic, dynamic
    assert "STATIC_TLS" in dynamic, "its thread-local memory is not of the initial-exec model"


def check_segments():
    segments = output("readelf", "-lW", LIBRARY)
    tls = re.search(r"^ *TLS +\S+ \S+ \S+ \S+ (0x[0-9a-f]+)", segments, re.M)
    assert tls and int(tls[1], 16) <= TLS_BYTES, segments
    assert re.search(r"GNU_STACK .* RW +0x", segments), segments
    assert not re.search(r"LOAD .* RWE ", segments), segments


def check_symbols():
    symbols = output("readelf", "-sW", "--dyn-syms", LIBRARY)
    assert " UNIQUE " not in symbols and "__tls_get_addr" not in symbols
    ending = re.findall(r" U (abort|raise|__assert_fail|__stack_chk_fail)\b", output("nm", LIBRARY))
    assert not ending, f"the library can end its host: {ending}"


def frames():
    """(.su file, function, bytes, qualifier) of every function; gcc names the header that declared it first."""
    files = sorted(OBJECTS.rglob("*.su"))
    assert files, f"no .su files under {OBJECTS}"
    for file in files:
        for line in file.read_text().splitlines():
            place, size, qualifier = line.split("\t")
            yield str(file), place.split(":")[-1], int(size), qualifier


def check_stack():
    large, hot = [], 0
    for file, function, size, qualifier in frames():
        is_hot = file.endswith(HOT)
        hot += is_hot
        if size > (HOT_STACK if is_hot else ANY_STACK) or (qualifier == "dynamic" and function not in ON_REQUEST):
            large.append(f"{file}: {function}: {size} bytes, {qualifier}")
    assert hot > 40, f"only {hot} functions on the hot path"
    assert not large, "\n".join(large)


main({
    "imports": check_imports,
    "versions": check_versions,
    "dependencies": check_dependencies,
    "segments": check_segments,
    "symbols": check_symbols,
    "stack": check_stack,
})
