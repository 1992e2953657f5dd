#!/usr/bin/env python3
"""shim/abi/cuda.h against the headers of an installed toolkit: the same signatures, sizes, offsets and values."""
# cases

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import ROOT, Skip, main  # noqa: E402

OURS = ROOT / "shim/abi/cuda.h"
PLACES = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda", *map(str, sorted(Path("/usr/local").glob("cuda-*"))), "/usr"]
# Differences of old toolkits that do no harm: types and fields that came later, a last parameter that 11 did not have yet.
LATER = re.compile("unknown type name|undeclared|is not an integer|no member named .(usage|maxSize)|[mM]emPoolProps, reserved"
                   "|conflicting types for .cudaGetDriverEntryPoint(_ptsz)?.;.*enum cudaDriverEntryPointQueryResult")
HEAD = "#define __CUDA_API_VERSION_INTERNAL\n#include <cuda.h>\n#include <cuda_runtime_api.h>\n"


def toolkit():
    for place in filter(None, PLACES):
        if (Path(place) / "include/cuda_runtime_api.h").exists() and (Path(place) / "include/cuda.h").exists():
            return Path(place) / "include"
    raise Skip("no toolkit headers")


def compile_c(text, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(text)
        file.flush()
        return subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-fsyntax-only", f"-I{ROOT}", *options, file.name],
                              stderr=subprocess.PIPE, text=True)


def errors(run):
    return [line for line in run.stderr.splitlines() if "error:" in line and not LATER.search(line)]


def body():
    return re.sub(r"/\*.*?\*/", "", OURS.read_text(), flags=re.S)


def check_alone():
    run = compile_c('#include "shim/abi/cuda.h"\n', "-Wall", "-Wextra", "-Werror")
    assert run.returncode == 0, run.stderr


def check_signatures():
    """A second declaration with another signature is an error; with the same one, a warning that names it. What older
    toolkits lack is not named."""
    if "clang" in os.environ.get("CC", ""):
        raise Skip("clang does not name what is declared twice")
    run = compile_c(f'{HEAD}#define MPSAN_CUDA_GIVEN\n#include "shim/abi/cuda.h"\n', f"-I{toolkit()}", "-Wredundant-decls")
    assert not errors(run), run.stderr
    ours = set(re.findall(r"^(?:CUresult|cudaError_t) (cu\w+)\(", body(), re.M))
    same = set(re.findall(r"redundant redeclaration of .(cu\w+)", run.stderr))
    assert len(ours) > 60 and len(same & ours) > len(ours) * 0.8, sorted(ours - same)


def types():
    """[(type as it is written, fields)] of the structures that are defined."""
    found = []
    for typedef, tag, fields, name in re.findall(r"^(typedef )?struct (\w+) \{\n(.*?)^\}( \w+)?;", body(), re.M | re.S):
        words = re.sub(r"\tstruct \{.*?\t\} ", "\tx ", fields, flags=re.S)
        names = [re.search(r"(\w+)(\[\w+\])?$", part.strip())[1] for line in re.findall(r"\t(.*);", words)
                 for part in line.split(",")]
        found.append((name.strip() if typedef else f"struct {tag}", names))
    return found


def assertions():
    """C text that is true of one set of headers: with numbers that the compiler was asked for."""
    wanted = [f"sizeof({name})" for name, _ in types()]
    wanted += [f"offsetof({name}, {field})" for name, fields in types() for field in fields]
    wanted += re.findall(r"^\t((?:CU|cuda)\w+) = ", body(), re.M)
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "ask.c"
        prints = "".join(f'\tprintf("_Static_assert({word} == %lld, \\"{word}\\");\\n", (long long){word});\n'
                         for word in wanted)
        source.write_text(f'#include <stdio.h>\n#include "shim/abi/cuda.h"\nint main(void)\n{{\n{prints}}}\n')
        subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", f"-I{ROOT}", "-o", f"{place}/ask", source], check=True)
        lines = subprocess.run([f"{place}/ask"], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert len(lines.splitlines()) == len(wanted) > 80, lines
    return lines


def check_types():
    """Names that an older toolkit does not know yet are no difference."""
    run = compile_c(f"{HEAD}#include <stddef.h>\n{assertions()}", f"-I{toolkit()}")
    assert not errors(run), "\n".join(errors(run))
    assert run.stderr.count("undeclared") < 12, run.stderr


main({"alone": check_alone, "signatures": check_signatures, "types": check_types})
