"""Runs somebody else's test suite bare and under `mpsan run`: the results of each test must be the same, and nothing
may be found but what tests/suites/hazards.txt names, with the reason."""

import concurrent.futures
import json
import os
import subprocess
import xml.etree.ElementTree as XML
from collections import Counter
from pathlib import Path

from faults import rounds, scratch
from mpsantest import MPSAN, ROOT, loud_findings, run_bare, system_python

TRIES = 10
RUNNER = Path(__file__).resolve().parent / "run_programs.py"
HAZARDS = ROOT / "tests/suites/hazards.txt"


def outcome(case):
    """ok, skipped, failed: reasons and times are free text."""
    tags = {child.tag for child in case}
    return "skipped" if "skipped" in tags else "failed" if tags & {"failure", "error"} else "ok"


def read_junit(file):
    """{test: outcome} of a JUnit report; a test that was run twice counts by its last run."""
    return {f"{case.get('classname', '')}.{case.get('name')}".strip("."): outcome(case)
            for case in XML.parse(file).iter("testcase")}


def numbered(results):
    """{test: outcome} of (test, outcome); the second of a name is another test."""
    seen, found = Counter(), {}
    for name, result in results:
        seen[name] += 1
        found[f"{name} #{seen[name]}" if seen[name] > 1 else name] = result
    return found


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

    def settle(self, different):
        """A test counts only when it never once ends alike: the rest are flaky by themselves."""
        for _ in range(TRIES):
            if not different:
                break
            different &= self.differing(sorted(different))[2]
        return different

    def compare(self, name):
        """Once, or three times with MPSAN_FULL=1."""
        flaky, differ, bare = set(), {}, {}
        for _ in range(rounds(1, 3)):
            bare, watched, first = self.differing()
            print(f"{name}: bare {show(bare)}; watched {show(watched)}; differing {len(first)}", flush=True)
            assert sum(result == "ok" for result in bare.values()) > 3, "the suite did not really run"
            lasting = self.settle(set(first))
            flaky |= first - lasting
            differ.update({test: f"bare {bare.get(test)}, watched {watched.get(test)}" for test in lasting})
        if flaky:
            print(f"{name}: alike when tried again: {' '.join(sorted(flaky))}")
        print(f"{name}: {summary(bare)}, {len(differ)} differ, in {rounds('one run', 'three runs')}")
        assert not self.found, describe(self.found.values())
        assert not differ, "\n".join(f"{test}: {how}" for test, how in sorted(differ.items()))


def summary(results):
    """The same for every suite; what fails bare is no verdict on mpsan."""
    count = Counter(result if result in ("ok", "skipped") else "failing" for result in results.values())
    return f"{count['ok']} ok, {count['skipped']} skipped, {count['failing']} failing"


def describe(findings):
    """Everything about them, and at the end, which is what a log of CI shows, a line for each."""
    lines = [f"{finding['severity']}: {finding['rule']}: {finding['message']}" for finding in findings]
    return "\n".join([json.dumps(list(findings), indent=1), *lines])


def show(results):
    return ", ".join(f"{count} {what}" for what, count in sorted(Counter(results.values()).items()))


def run_programs(prefix, top, programs, jobs=4, limit=30):
    """{program, from `top` on: how it ended}; a program may take `limit` seconds."""
    file = scratch("results.json")
    run = run_bare([*prefix, system_python(), RUNNER, file, str(jobs), str(limit), *programs], 3000)
    assert file.exists(), f"no results\n{run.out[-2000:]}{run.err[-2000:]}"
    return {Path(name).relative_to(top).as_posix(): result for name, result in json.loads(file.read_text()).items()}


def build_programs(sources, flags_of):
    """Beside their sources. What this compiler refuses is no program of the suite here."""
    def build(source):
        subprocess.run(["cc", "-w", "-o", source.with_suffix(""), source, *flags_of(source)], stderr=subprocess.DEVNULL)

    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        list(pool.map(build, sources))


def run_to_junit(command, file, timeout):
    """Runs a command that writes a JUnit report; how it ends is told by that."""
    file.unlink(missing_ok=True)
    run = run_bare(command, timeout)
    assert file.exists(), f"no report: {command}\n{run.out[-2000:]}{run.err[-2000:]}"
    return read_junit(file)
