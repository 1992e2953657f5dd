#!/usr/bin/env python3
"""Who may know whom: includes point one way, rules are pure, one file talks to the kernel, and everything stays small."""
# cases

import functools
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, ROOT, main  # noqa: E402

FILE_LINES, FUNCTION_LINES = 500, 60
STRING_H = {"bcmp", "memchr", "memcmp", "memcpy", "memmove", "memset", "strchr", "strcmp", "strlen", "strncmp", "strrchr",
            "strstr"}
CODE = ("include", "shim", "tools", "tests", "examples")


def sources(*places, suffixes=(".c", ".h", ".def", ".S")):
    return sorted(path for place in places for path in (ROOT / place).rglob("*") if path.suffix in suffixes)


def includes(path):
    """Paths, relative to the root, of what a file includes in quotes."""
    for name in re.findall(r'^#\s*include "([^"]+)"', path.read_text(), re.M):
        place = (path.parent / name).resolve()
        yield str(place.relative_to(ROOT)) if place.exists() else name


# Folders from top to bottom: each may use itself and those below it.
COMMAND = ("tools/cmd", "tools/top", "tools/ps", "tools/attach", "tools/doctor", "tools/supervise", "tools/formats", "tools/report",
           "tools/findings", "tools/evidence", "tools/waitgraph", "tools/ranks", "tools/waits", "tools/job", "tools/core", "tools/symbols",
           "tools/symbolizer", "tools/reader", "tools/rules", "tools/facts", "tools/proc", "tools/base")
FOLDER_FILES = 40  # at most
CIRCLE_FILES = 2  # at most, by symbols
LIBRARY_FOLDERS = ("shim/hooks", "shim/lifecycle", "shim/cuda", "shim/resources", "shim/workers", "shim/locks",
                   "shim/record", "shim/python", "shim/intercept")
BOTH = ("shim/common", "shim/abi", "include")  # what the library and the command share, with the bottom last
# The command lists, and the manual counts, the hooks from the library's own table.
EXCEPTIONS = {("tools/cmd/cmd_list.c", "shim/hooks.def"), ("tools/man/tables.c", "shim/hooks.def")}
# The stubs are made from the table of hooks: they jump to all that it names. The compiler calls mem.c from anywhere.
DISPATCH = ("shim/intercept/arch/", "shim/intercept/mem.c")


def layer(name):
    """The folder that a file belongs to, as above; "tools/man", "shim" for the tables on top."""
    for folder in (*COMMAND, *LIBRARY_FOLDERS, *BOTH, "tools/man", "shim"):
        if name.startswith(folder + "/"):
            return folder
    return "elsewhere"


def may_use(one):
    """The layers that a file of layer `one` may use."""
    if one in COMMAND:
        return {*COMMAND[COMMAND.index(one):], *BOTH}
    if one in LIBRARY_FOLDERS:
        return {*LIBRARY_FOLDERS[LIBRARY_FOLDERS.index(one):], *BOTH, "shim"}
    if one in BOTH:
        return set(BOTH[BOTH.index(one):])
    return {"tools/man": {"tools/man", "include", *COMMAND}, "shim": {"shim"}}[one]


def check_includes():
    wrong = []
    for path in sources("include", "shim", "tools"):
        name = str(path.relative_to(ROOT))
        wrong += [f"{name} includes {other}" for other in includes(path)
                  if layer(other) not in may_use(layer(name)) and (name, other) not in EXCEPTIONS]
    assert not wrong, "\n".join(wrong)


@functools.cache
def symbol_edges():
    """(file, symbol, file that defines it) for each global symbol that one object needs of another, by nm."""
    objects = [path for folder in (*COMMAND, *LIBRARY_FOLDERS, "shim/common")
               for path in (BUILD / "obj" / folder).rglob("*.o")]
    objects = [path for path in objects if (ROOT / str(path.relative_to(BUILD / "obj"))[:-2]).exists()]
    assert len(objects) > 200, objects
    listing = subprocess.run(["nm", "-A", "-g", *map(str, objects)], check=True, stdout=subprocess.PIPE, text=True).stdout
    home, needs = {}, []
    for path, kind, symbol in re.findall(r"^(\S+)\.o:[0-9a-f ]* (\w) (\S+)$", listing, re.M):
        name = str(Path(path).relative_to(BUILD / "obj"))
        if kind == "U":
            needs.append((name, symbol))
        else:
            home[symbol] = name
    assert len(home) > 500 and len(needs) > 1000, (len(home), len(needs))
    return [(name, symbol, home[symbol]) for name, symbol in needs
            if symbol in home and name.split("/")[0] == home[symbol].split("/")[0]]


def check_symbols():
    """What the includes allow is not always what the objects need: declarations can be made anywhere."""
    wrong = [f"{name} needs {symbol} of {home}" for name, symbol, home in symbol_edges()
             if layer(home) not in may_use(layer(name)) and
             not name.startswith(DISPATCH) and not home.startswith(DISPATCH)]
    assert not wrong, "\n".join(wrong)


def circles(edges):
    """Sets of more than one node that all reach each other."""
    nodes = {node for edge in edges for node in edge}
    forward = {node: {to for of, to in edges if of == node} for node in nodes}

    def reach(node):
        seen, todo = set(), [node]
        while todo:
            for to in forward[todo.pop()] - seen:
                seen.add(to)
                todo.append(to)
        return seen

    reached = {node: reach(node) for node in nodes}
    return {frozenset(to for to in reached[node] if node in reached[to]) for node in nodes if node in reached[node]}


def check_circles():
    """Two files may be two halves of one thing; three that all need each other cannot be read in any order."""
    edges = {(name, home) for name, _, home in symbol_edges() if name != home and not name.startswith(DISPATCH)}
    assert {"a", "b", "c"} in circles({("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")})
    wrong = [circle for circle in circles(edges) if len(circle) > CIRCLE_FILES]
    assert not wrong, "\n".join(" ".join(sorted(circle)) for circle in wrong)


def check_folders():
    """A folder can be taken in at one look, and its README says of each file what it is for."""
    wrong = []
    folders = {path.parent for path in sources("tools", "shim") if not {"man", "abi", "arch"} & set(path.parts)}
    assert len(folders) > len(COMMAND) + len(LIBRARY_FOLDERS), folders
    for folder in sorted(folders):
        files = [path for path in folder.iterdir() if path.suffix in (".c", ".h", ".def", ".S")]
        if len(files) > FOLDER_FILES:
            wrong.append(f"{folder.relative_to(ROOT)}: {len(files)} files")
        readme = next(parent / "README.md" for parent in (folder, *folder.parents) if (parent / "README.md").exists())
        text = readme.read_text()
        wrong += [f"{path.relative_to(ROOT)} has no row in {readme.relative_to(ROOT)}" for path in files
                  if f"`{path.name}`" not in text and f"`{path.stem}.c`" not in text and folder == readme.parent]
    assert not wrong, "\n".join(wrong)


def symbols(option, *objects):
    listing = subprocess.run(["nm", option, *map(str, objects)], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[-1] for line in listing.splitlines() if line and not line.endswith(":")}


def check_purity():
    objects = [path for part in ("tools/facts", "tools/rules", "shim/common") for path in (BUILD / "obj" / part).rglob("*.o")]
    assert len(objects) > 8, objects
    hardened = {f"__{name}_chk" for name in STRING_H} | {"__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_"}
    foreign = symbols("-u", *objects) - symbols("--defined-only", *objects) - STRING_H - hardened
    assert not foreign, f"pure code calls {sorted(foreign)}"


def check_kernel_door():
    """Inline system calls in arch.h alone, and libc's wrappers nowhere."""
    calls = re.compile(r"(?<![\w.>])(open|openat|read|write|close|mmap|munmap|getpid|gettid|malloc|calloc|realloc|free|"
                       r"printf|fprintf|snprintf|getenv|sysconf|abort|dlopen)\(")
    wrong = []
    for path in sources("shim", suffixes=(".c", ".h")):
        if layer(str(path.relative_to(ROOT))) == "shim/common":
            continue
        text = re.sub(r"/\*.*?\*/|^EXPORT .*?$", "", path.read_text(), flags=re.S | re.M)
        if re.search(r'__asm__.*"(syscall|svc)', text) and path.name != "arch.h":
            wrong.append(f"{path.name}: a system call of its own")
        wrong += [f"{path.name}: {call}()" for call in calls.findall(text)]
    assert "arch_call(" in (ROOT / "shim/intercept/sys.c").read_text()
    assert not wrong, "\n".join(wrong)


def check_guarded():
    """GUARDED is a loop in disguise: a continue or break that leaves it would read as one of a loop around it."""
    wrong, seen = [], 0
    for path in sources("shim", suffixes=(".c",)):
        lines = path.read_text().expandtabs(8).splitlines()
        for number, line in enumerate(lines):
            indent = len(line) - len(line.lstrip())
            seen += line.strip().startswith("GUARDED")
            if line.strip() not in ("continue;", "break;"):
                continue
            for above in reversed(lines[:number]):
                if above.strip() and len(above) - len(above.lstrip()) < indent:
                    indent = len(above) - len(above.lstrip())
                    if re.match(r"\s*(for|while|do|switch|case|default|EACH_\w+|GUARDED)\b", above):
                        wrong += [f"{path.name}:{number + 1}"] if "GUARDED" in above else []
                        break
    assert seen > 30, f"only {seen} guarded blocks found"
    assert not wrong, "\n".join(wrong)


def check_file_sizes():
    """A table is looked up, not read: whoever adds a row need not take it apart."""
    long = []
    for path in sources(*CODE, suffixes=(".c", ".h", ".S", ".py", ".sh")):
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
    "symbols": check_symbols,
    "circles": check_circles,
    "folders": check_folders,
    "purity": check_purity,
    "kernel_door": check_kernel_door,
    "guarded": check_guarded,
    "file_sizes": check_file_sizes,
    "function_sizes": check_function_sizes,
})
