#!/usr/bin/env python3
"""PostgreSQL's regression tests, of the distribution's source package, against the distribution's server, bare and under the library:
a process for each connection, shared memory, signals, semaphores, parallel workers."""
# cases
# limit: 7200
# serial

import functools
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import need, scratch  # noqa: E402
from mpsantest import Skip, main, run_bare  # noqa: E402
from sources import run_make, source_of  # noqa: E402
from suite import Suite, numbered  # noqa: E402

CONFIGURE = "./configure -q --without-readline --without-zlib --without-icu"
RESULT = re.compile(r"^(?:test)?\s+(\S+)\s+\.\.\. (ok|FAILED|failed|skipped)\b", re.M)
NOT_ROOT = ("unshare", "--map-user=1000", "--map-group=1000")  # as which the server refuses to run


def server():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not found:
        raise Skip("no PostgreSQL server here (Debian: postgresql)")
    return found[-1].parents[1]


def build(place):
    run_make(place, CONFIGURE, "make -s -j2 -C src/test/regress")


def run_tests(place, installed, prefix, _):
    """All tests each time: they build on each other."""
    tests, out = place / "src/test/regress", scratch("out")
    run = run_bare([*prefix, *(NOT_ROOT if os.geteuid() == 0 else ()), tests / "pg_regress", f"--inputdir={tests}", f"--outputdir={out}",
                    f"--dlpath={tests}", f"--bindir={installed}/bin", f"--temp-instance={out}/instance", "--max-connections=4",
                    f"--schedule={tests}/parallel_schedule"], 2400)
    results = numbered((name, "ok" if word == "ok" else "failed") for name, word in RESULT.findall(run.out))
    assert results, f"no results\n{run.out[-2000:]}{run.err[-2000:]}"
    return results


def check():
    need("make", "unshare")
    installed = server()
    place = source_of(f"postgresql-{installed.name}", build)
    Suite(functools.partial(run_tests, place, installed)).compare("postgresql")


main({"postgresql": check})
