"""Runs somebody else's test suite bare and under `mpsan run`: the results of each test must be the same, and nothing
may be found but what tests/suites/hazards.txt names, with the reason."""

import json
import xml.etree.ElementTree as XML
from collections import Counter

from faults import scratch
from mpsantest import MPSAN, ROOT, loud_findings, run_bare

TRIES = 10
HAZARDS = ROOT / "tests/suites/hazards.txt"


def outcome(case):
    """ok, skipped, failed: reasons and times are free text."""
    tags = {child.tag for child in case}
    return "skipped" if "skipped" in tags else "failed" if tags & {"failure", "error"} else "ok"


def read_junit(file):
    """{test: outcome} of a JUnit report; a test that was run twice counts by its last run."""
    return {f"{case.get('classname', '')}.{case.get('name')}".strip("."): outcome(case)
            for case in XML.parse(file).iter("testcase")}


class Suite:
    """`run_tests(prefix, only)` runs the suite, or only the tests named, as a command behind `prefix`, and returns
    {test: outcome}."""

    def __init__(self, run_tests):
        self.run_tests = run_tests
        self.found = {}  # fingerprint: finding

    def watched(self, only):
        report = scratch("findings.json")
        result = self.run_tests([MPSAN, "run", "--fail-on", "never", "--suppressions", HAZARDS, "--report",
                                 f"json={report}", "--"], only)
        for finding in loud_findings(json.loads(report.read_text())):
            self.found[finding["fingerprint"]] = finding
        return result

    def differing(self, only=()):
        bare = self.run_tests([], only)
        watched = self.watched(only)
        different = {test for test in bare.keys() | watched.keys() if bare.get(test) != watched.get(test)}
        return bare, watched, different

    def compare(self, name):
        """A test counts only when it never once ended alike: the rest are flaky by themselves."""
        bare, watched, different = self.differing()
        print(f"{name}: bare {show(bare)}; watched {show(watched)}; differing {len(different)}", flush=True)
        well = sum(result == "ok" for result in bare.values())
        assert well > 3, "the suite did not really run"
        first = sorted(different)
        for _ in range(TRIES):
            if not different:
                break
            different &= self.differing(sorted(different))[2]
        flaky = [test for test in first if test not in different]
        if flaky:
            print(f"{name}: alike when tried again: {' '.join(flaky)}")
        assert not self.found, describe(self.found.values())
        assert not different, "\n".join(f"{test}: bare {bare.get(test)}, watched {watched.get(test)}"
                                        for test in sorted(different))


def describe(findings):
    """Everything about them, and at the end, which is what a log of CI shows, a line for each."""
    lines = [f"{finding['severity']}: {finding['rule']}: {finding['message']}" for finding in findings]
    return "\n".join([json.dumps(list(findings), indent=1), *lines])


def show(results):
    return ", ".join(f"{count} {what}" for what, count in sorted(Counter(results.values()).items()))


def run_to_junit(command, file, timeout):
    """Runs a command that writes a JUnit report; how it ends is told by that."""
    file.unlink(missing_ok=True)
    run = run_bare(command, timeout)
    assert file.exists(), f"no report: {command}\n{run.out[-2000:]}{run.err[-2000:]}"
    return read_junit(file)
