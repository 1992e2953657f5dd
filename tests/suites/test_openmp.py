#!/usr/bin/env python3
"""The tests of GCC's OpenMP library, of the distribution's source package, bare and under the library, program by program: those in C
that run on the host."""
# cases
# limit: 7200
# serial

import functools
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import need  # noqa: E402
from mpsantest import main  # noqa: E402
from sources import source_of, unpack  # noqa: E402
from suite import Suite, build_programs, run_programs  # noqa: E402

FOLDERS = ("libgomp.c", "libgomp.c-c++-common")
OPTIONS = re.compile(r'dg-(?:additional-)?options "([^"]*)" *\}')  # those for one target have a condition behind them
OTHERS = re.compile(r"dg-do (?:compile|link|preprocess)|dg-additional-sources|dg-shouldfail|offload_device|offload_target|openacc")


def sources(place):
    for folder in FOLDERS:
        for source in sorted(place.glob(f"libgomp/testsuite/{folder}/*.c")):
            text = source.read_text(errors="replace")
            if re.search(r"\bmain\b", text) and not OTHERS.search(text):
                yield source


def flags_of(source):
    options = " ".join(OPTIONS.findall(source.read_text(errors="replace"))).split()
    return ["-fopenmp", "-O2", *options, "-I", source.parents[2], "-lm"]


def build(place):
    archive = next(place.glob("gcc-*-dfsg.tar.*"))
    unpack(archive, place, "*/libgomp/testsuite/*")
    archive.unlink()
    build_programs(sources(place), flags_of)


def run_tests(place, prefix, only):
    top = place / "libgomp/testsuite"
    built = [source.with_suffix("") for source in sources(place) if source.with_suffix("").exists()]
    return run_programs(prefix, top, [top / name for name in only] or built, limit=60)


def check():
    need("cc", "tar")
    version = subprocess.run(["cc", "-dumpversion"], stdout=subprocess.PIPE, text=True).stdout.partition(".")[0].strip()
    place = source_of(f"gcc-{version}", build, "*/gcc-*-dfsg.tar.*")
    Suite(functools.partial(run_tests, place)).compare("libgomp")


main({"libgomp": check})
