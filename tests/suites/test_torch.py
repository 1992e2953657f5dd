#!/usr/bin/env python3
"""PyTorch's own test_multiprocessing.py, of the version that is installed, bare and under the library."""
# limit: 3600

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import scratch  # noqa: E402
from mpsantest import main, need_module, run_bare, system_python  # noqa: E402
from sources import KEPT, fetch, unpack  # noqa: E402
from suite import Suite  # noqa: E402

PYTHON = system_python()
CACHE = KEPT / "torch"  # 18 MB are fetched once
TEST = "test_multiprocessing.py"

# A stand-in for the module expecttest, of which torch's helpers use no more than this.
EXPECTTEST = '''
import unittest

ACCEPT = False


class TestCase(unittest.TestCase):
    def assertExpectedInline(self, actual, expect, skip=0):
        self.assertEqual(actual, expect)

    def assertExpectedRaisesInline(self, error, function, expect, *arguments, **named):
        with self.assertRaises(error):
            function(*arguments, **named)
'''

RUNNER = '''
import json, sys, unittest

if __name__ == "__main__":
    file, *only = sys.argv[1:]
    del sys.argv[1:]  # torch's helpers read arguments of their own when they are imported
import test_multiprocessing as tests

class Result(unittest.TextTestResult):
    ended = {}
    def addSuccess(self, test): self.ended[test.id()] = "ok"
    def addSkip(self, test, reason): self.ended[test.id()] = "skipped"
    def addFailure(self, test, error): self.ended[test.id()] = "failed"
    def addError(self, test, error): self.ended[test.id()] = "failed"

if __name__ == "__main__":
    loader = unittest.defaultTestLoader
    suite = (loader.loadTestsFromNames(only) if only
             else loader.loadTestsFromTestCase(tests.TestMultiprocessing))
    unittest.TextTestRunner(resultclass=Result).run(suite)
    json.dump(Result.ended, open(file, "w"))
'''


def prepare():
    need_module(PYTHON, "torch")
    if not (CACHE / TEST).exists():
        unpack(fetch("pytorch", CACHE), CACHE, f"*/test/{TEST}", strip=2)
    (CACHE / "expecttest.py").write_text(EXPECTTEST)
    (CACHE / "run_tests.py").write_text(RUNNER)


def run_tests(prefix, only):
    report = scratch("report.json")
    run = run_bare([*prefix, PYTHON, CACHE / "run_tests.py", report, *only], 1500, {"PYTHONPATH": str(CACHE)})
    assert report.exists(), f"no report\n{run.err[-3000:]}"
    return json.loads(report.read_text())


def check():
    prepare()
    Suite(run_tests).compare("torch")


main({"torch": check})
