#!/usr/bin/env python3
"""Who may know whom: includes point one way, rules are pure, one file talks to the kernel, and everything stays small."""
# cases

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, ROOT, main  # noqa: E402

FILE_LINES, FUNCTION_LINES = 500, 60
STRING_H = {"memchr", "memcmp", "memcpy", "memmove", "memset", "strchr", "strcmp", "strlen", "strncmp", "strrchr",
            "strstr"}
CODE = ("include", "shim", "tools", "tests", "examples")


def sources(*places, suffixes=(".c", ".h", ".def", ".S")):
    return sorted(path for place in places for path in (ROOT / place).rglob("*") if path.suffix in suffixes)


def includes(path):
    """Paths, relative to the root, of what a file includes in quotes."""
    for name in re.findall(r'^#\s*include "([^"]+)"', path.read_text(), re.M):
        place = (path.parent / name).resolve()
        yield str(place.relative_to(ROOT)) if place.exists() else name


def layer(name):
    for start, what in (("shim/core/", "core"), ("shim/rules/", "rules"), ("shim/cpython/", "cpython"),
                        ("shim/ranges.", "ranges"), ("shim/rank.", "ranges"), ("shim/wait_rule.", "ranges"), ("shim/pages.", "ranges"),
                        ("shim/no_log.", "ranges"), ("shim/hooks/", "hooks"),
                        ("shim/", "shim"), ("include/", "include"), ("tools/", "tools")):
        if name.startswith(start):
            return what
    return "elsewhere"


# What each layer may include besides itself.
ALLOWED = {
    "include": set(),
    "core": {"include", "ranges"},
    "rules": {"include", "core"},
    "cpython": {"include"},
    "ranges": {"include"},
    "shim": {"include", "cpython", "ranges"},
    "hooks": {"include", "shim", "ranges"},
    "tools": {"include", "core", "cpython", "ranges"},
}
# The command lists, and the manual counts, the hooks from the library's own table.
EXCEPTIONS = {("tools/cmd_list.c", "shim/hooks.def"), ("tools/man/tables.c", "shim/hooks.def")}


def check_includes():
    wrong = []
    for path in sources("include", "shim", "tools"):
        name = str(path.relative_to(ROOT))
        for other in includes(path):
            fine = layer(other) in ALLOWED[layer(name)] | {layer(name)}
            if not fine and (name, other) not in EXCEPTIONS:
                wrong.append(f"{name} includes {other}")
    assert not wrong, "\n".join(wrong)


def symbols(option, *objects):
    listing = subprocess.run(["nm", option, *map(str, objects)], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[-1] for line in listing.splitlines() if line and not line.endswith(":")}


def check_purity():
    objects = [path for part in ("core", "rules", "cpython") for path in (BUILD / "obj/shim" / part).glob("*.o")]
    objects += [BUILD / "obj/shim/ranges.c.o", BUILD / "obj/shim/rank.c.o", BUILD / "obj/shim/wait_rule.c.o", BUILD / "obj/shim/pages.c.o"]
    assert len(objects) > 8, objects
    foreign = symbols("-u", *objects) - symbols("--defined-only", *objects) - STRING_H - {"_GLOBAL_OFFSET_TABLE_"}
    assert not foreign, f"pure code calls {sorted(foreign)}"


def check_kernel_door():
    """Inline system calls in sys.c alone, and libc's wrappers nowhere."""
    calls = re.compile(r"(?<![\w.>])(open|openat|read|write|close|mmap|munmap|getpid|gettid|malloc|calloc|realloc|free|"
                       r"printf|fprintf|snprintf|getenv|sysconf|abort|dlopen)\(")
    wrong = []
    for path in sources("shim", suffixes=(".c", ".h")):
        if layer(str(path.relative_to(ROOT))) in ("core", "rules", "cpython", "ranges"):
            continue
        text = re.sub(r"/\*.*?\*/|^EXPORT .*?$", "", path.read_text(), flags=re.S | re.M)
        if re.search(r'__asm__.*"syscall', text) and path.name != "sys.c":
            wrong.append(f"{path.name}: a system call of its own")
        wrong += [f"{path.name}: {call}()" for call in calls.findall(text)]
    assert "syscall" in (ROOT / "shim/sys.c").read_text()
    assert not wrong, "\n".join(wrong)


def check_file_sizes():
    long = []
    for path in sources(*CODE, suffixes=(".c", ".h", ".def", ".S", ".py", ".sh")):
        lines = len(path.read_text().splitlines())
        if lines > FILE_LINES and "golden" not in path.parts:
            long.append(f"{path.relative_to(ROOT)}: {lines} lines")
    assert not long, "\n".join(long)


def functions(path):
    """(name, lines) of each C function: from a line that ends its head to the brace in column 0."""
    start, name = 0, None
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        if line == "{" and number:
            start, name = number, lines[number - 1]
        elif line.startswith("}") and name is not None:
            yield name, number - start + 1
            name = None


def check_function_sizes():
    long, seen = [], 0
    for path in sources(*CODE, suffixes=(".c", ".h")):
        for name, lines in functions(path):
            seen += 1
            if lines > FUNCTION_LINES:
                long.append(f"{path.relative_to(ROOT)}: {lines} lines: {name}")
    assert seen > 500, f"only {seen} functions found"
    assert not long, "\n".join(long)


main({
    "includes": check_includes,
    "purity": check_purity,
    "kernel_door": check_kernel_door,
    "file_sizes": check_file_sizes,
    "function_sizes": check_function_sizes,
})
