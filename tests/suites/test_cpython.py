#!/usr/bin/env python3
"""CPython's own tests of processes and threads, bare and under the library, test by test; also those of newer releases of
Debian (tools/dev/bootstrap --pythons), where this script runs once more."""
# cases
# limit: 3600

import functools
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "lib"), str(Path(__file__).resolve().parents[1] / "pythons")]

from faults import scratch  # noqa: E402
from mpsantest import SKIPPED, Skip, main, run_bare, system_python  # noqa: E402
from pythons import RELEASES, inside, releases  # noqa: E402
from suite import Suite, run_to_junit  # noqa: E402

PYTHON = system_python()
MODULES = ("test_exceptions", "test_traceback", "test_fork1", "test_thread", "test_threading", "test_subprocess", "test_posix",
           "test_multiprocessing_fork", "test_concurrent_futures",
           *(f"test_asyncio.test_{part}" for part in ("locks", "queues", "runners", "subprocess", "tasks", "threads", "unix_events")))


def run_tests(module, prefix, only):
    report = scratch("report.xml")
    chosen = [word for test in only for word in ("--match", test)]
    return run_to_junit([*prefix, PYTHON, "-m", "test", "-v", "--timeout", "600", "--junit-xml", report, *chosen,
                         module], report, timeout=1500)


def check(module):
    there = subprocess.run([PYTHON, "-c", f"import test.{module}"], stderr=subprocess.DEVNULL)
    if there.returncode != 0:
        raise Skip(f"{PYTHON} has no test.{module} (Debian: libpython3.{sys.version_info.minor}-testsuite)")
    Suite(functools.partial(run_tests, module)).compare(module)


def check_in(release, module):
    if release not in releases():
        raise Skip("needs root and tools/dev/bootstrap --pythons")
    run = run_bare(inside(releases()[release], ["python3", "tests/suites/test_cpython.py", module]), 3500,
                   {"TMPDIR": "/tmp", "BUILD": "build", "LC_ALL": "C.UTF-8"})
    print(run.out, end="")
    if run.exit == SKIPPED:
        raise Skip(run.out)
    assert run.exit == 0, run.err


main({module: functools.partial(check, module) for module in MODULES} |
     {f"{release}-{module}": functools.partial(check_in, release, module) for release in RELEASES for module in MODULES})
