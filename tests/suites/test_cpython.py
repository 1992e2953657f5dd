#!/usr/bin/env python3
"""CPython's own tests of processes and threads, bare and under the library, test by test."""
# cases
# limit: 3600

import functools
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import scratch  # noqa: E402
from mpsantest import Skip, main, system_python  # noqa: E402
from suite import Suite, run_to_junit  # noqa: E402

PYTHON = system_python()
MODULES = ("test_fork1", "test_thread", "test_threading", "test_subprocess", "test_posix",
           "test_multiprocessing_fork", "test_concurrent_futures")


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


main({module: functools.partial(check, module) for module in MODULES})
