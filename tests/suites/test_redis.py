#!/usr/bin/env python3
"""Redis' own tests, of the distribution's source package, bare and under the library, test by test: a server that forks beside
its threads to save, scripts, replication. MPSAN_UNITS=all runs all units, each round an hour."""
# cases
# limit: 7200
# serial

import functools
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import need  # noqa: E402
from mpsantest import main, run_bare  # noqa: E402
from sources import run_make, source_of  # noqa: E402
from suite import Suite, numbered  # noqa: E402

UNITS = ("unit/dump", "unit/other", "unit/aofrw", "unit/type/list", "unit/multi", "unit/pubsub", "unit/scripting",
         "integration/rdb", "integration/aof")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
OUTCOMES = {"ok": "ok", "err": "failed", "exception": "failed", "skip": "skipped", "ignore": "skipped"}


def units(place):
    if os.environ.get("MPSAN_UNITS") != "all":
        return UNITS
    return re.search(r"set ::all_tests \{(.*?)\}", (place / "tests/test_helper.tcl").read_text(), re.S)[1].split()


def results(text):
    unit = ""
    for line in COLOUR.sub("", text).splitlines():
        found = re.match(r"Testing (\S+)$|\[(\w+)\]: (.*?)(?: \(\d+ ms\))?$", line)
        if found and found[1]:
            unit = found[1]
        elif found and found[2] in OUTCOMES:
            yield f"{unit}: {found[3]}", OUTCOMES[found[2]]


def run_tests(place, prefix, only):
    wanted = sorted({name.partition(": ")[0] for name in only}) or units(place)
    run = run_bare([*prefix, "env", "-C", place, "./runtest", "--clients", "1", *(word for unit in wanted for word in ("--single", unit))], 3500)
    return numbered(results(run.out))


def check():
    need("tclsh", "make")
    place = source_of("redis", lambda new: run_make(new, "make -j2 MALLOC=libc"))
    Suite(functools.partial(run_tests, place)).compare("redis")


main({"redis": check})
