"""pytest under mpsan: each test marked `mpsan` runs in a pytest of its own under `mpsan run`, so that what is found is
found in that test. A test with findings fails with their stories; in junit.xml they are properties of its test case.

    pytest -p pytest_mpsan                       # or: pytest_plugins = ["pytest_mpsan"] in the topmost conftest.py

ini options (pytest.ini, tox.ini, setup.cfg, pyproject.toml):
    mpsan_all = true            watch every test, marked or not
    mpsan_fail_on = warning     what fails a test: error (default), warning, note, never
    mpsan_timeout = 60          seconds after which a test that hangs without a proof is ended (300)
    mpsan_options = --policy ci --baseline mpsan.baseline      further options of `mpsan run`

A deadlock ends the test at its proof, not at the time limit of the job. Where a signal handler could still end the wait it
is no proof but a warning, and mpsan_timeout ends the test: newer versions of pytest import readline, which has one.

Settings of a .mpsan.conf hold as always. Without mpsan on PATH (or its path in $MPSAN) marked tests run as all others do, and
the summary says so. Fixtures of a wider scope than a function are set up anew for each watched test, whose pytest gets the
plugins (-p) but no other option of this one.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

INNER = "MPSAN_PYTEST_REPORTS"  # in the environment of a watched pytest: the file that its reports go to
GRADES = ("note", "warning", "error", "never")
OWN = ("/_pytest/", "/pluggy/", "/pytest/__main__.py", "<frozen runpy>")  # files whose frames say nothing about a test


def pytest_addoption(parser):
    parser.addini("mpsan_all", "run every test under mpsan", type="bool", default=False)
    parser.addini("mpsan_fail_on", "severity that fails a test: error, warning, note or never", default="error")
    parser.addini("mpsan_timeout", "seconds after which a watched test is ended", default="300")
    parser.addini("mpsan_options", "further options of `mpsan run`", default="")
    parser.addoption("--no-mpsan", action="store_true", help="run marked tests without mpsan")


def pytest_configure(config):
    config.addinivalue_line("markers", "mpsan: run this test in a process of its own under `mpsan run`")
    if os.environ.get(INNER):
        config.pluginmanager.register(Recorder(config, os.environ[INNER]), "mpsan-recorder")
    elif not config.getoption("--no-mpsan"):
        if config.getini("mpsan_fail_on") not in GRADES:
            raise pytest.UsageError(f"mpsan_fail_on = {config.getini('mpsan_fail_on')}: take {', '.join(GRADES)}")
        config.pluginmanager.register(Watcher(config), "mpsan-watcher")


class Recorder:
    """In the watched pytest: hands its reports to the one outside, one line each, so that none is lost with a crash."""

    def __init__(self, config, file):
        self.config, self.file = config, file

    def pytest_runtest_logreport(self, report):
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        with open(self.file, "a") as out:
            out.write(json.dumps(data, default=str) + "\n")


class Watcher:
    """In the pytest that was started: runs marked tests elsewhere and reports what came of them."""

    def __init__(self, config):
        self.config = config
        self.mpsan = os.environ.get("MPSAN") or shutil.which("mpsan")
        self.unwatched = self.watched = 0
        self.found = []
        self.gone = None  # what the baseline has, and no test so far

    def pytest_runtest_protocol(self, item):
        if not (self.config.getini("mpsan_all") or item.get_closest_marker("mpsan")):
            return None
        if not self.mpsan:
            self.unwatched += 1
            return None
        self.watched += 1
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self.run(item):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def run(self, item):
        with tempfile.TemporaryDirectory(prefix="pytest-mpsan-") as place:
            place = Path(place)
            command = [self.mpsan, "run", "--on-deadlock=kill", *shlex.split(self.config.getini("mpsan_options")),
                       "--report", f"json={place}/report.json", "--", sys.executable, "-m", "pytest", "-p", "no:cacheprovider",
                       "-c", str(self.config.inipath or os.devnull), "--rootdir", str(self.config.rootpath),
                       "-o", "addopts=", *self.plugins(), f"{item.path}::{item.nodeid.split('::', 1)[1]}"]
            environment = {**os.environ, INNER: str(place / "reports"), "PYTEST_ADDOPTS": ""}
            output = self.wait(subprocess.Popen(command, env=environment, cwd=self.config.invocation_params.dir, text=True,
                                                errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                                stderr=subprocess.STDOUT, start_new_session=True))
            reports = [self.restored(json.loads(line)) for line in read(place / "reports").splitlines()]
            judged = read(place / "report.json")
            if not judged:  # wrong options, say
                return [*reports, failure(item, f"mpsan could not watch this test:\n{output}")]
            return self.attribute(item, reports, json.loads(judged), output)

    def restored(self, data):
        """A report as it was before it became JSON, which knows no tuples: what prints skips insists on one."""
        report = self.config.hook.pytest_report_from_serializable(config=self.config, data=data)
        if isinstance(report.longrepr, list):
            report.longrepr = tuple(report.longrepr)
        return report

    def wait(self, process):
        """What it printed. In time or not, mpsan writes its report, and nobody is left afterwards."""
        try:
            return process.communicate(timeout=float(self.config.getini("mpsan_timeout")))[0]
        except subprocess.TimeoutExpired:
            process.terminate()  # mpsan hands this on to the test
        try:
            return process.communicate(timeout=10)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0]

    def plugins(self):
        """The options -p of this pytest."""
        words = [*self.config.getini("addopts"), *shlex.split(os.environ.get("PYTEST_ADDOPTS", "")),
                 *map(str, self.config.invocation_params.args)]
        named = [after for word, after in zip(words, words[1:]) if word == "-p"]
        named += [word[2:] for word in words if word.startswith("-p") and word != "-p"]
        return [option for name in named for option in ("-p", name)]

    def attribute(self, item, reports, document, output):
        """The test's own reports, with what was found in it."""
        findings = document["findings"]
        if "baseline" in document:
            gone = set(document["baseline"]["gone"])
            self.gone = gone if self.gone is None else self.gone & gone
        self.found += [(item.nodeid, finding) for finding in findings]
        properties = [(f"mpsan.{finding['severity']}", f"{finding['rule']} {finding['fingerprint']}: {finding['message']}")
                      for finding in findings]
        loud = [finding for finding in findings if self.fails(finding)]
        if not any(report.when == "call" or report.failed or report.skipped for report in reports) and not loud:
            reports.append(failure(item, f"the test ended without a word, {ending(document['exit'])}:\n{output}"))
        if loud:
            text = "\n\n".join(map(story, loud))
            calls = [report for report in reports if report.when == "call"]
            if calls:
                text = f"{calls[0].longreprtext}\n\n{text}" if calls[0].failed else text
                calls[0].outcome, calls[0].longrepr = "failed", text
                vars(calls[0]).pop("wasxfail", None)
            else:
                reports.append(failure(item, text))
        if not any(report.when == "teardown" for report in reports):
            reports.append(made(item, "teardown", "passed", None))
        reports[-1].user_properties = [*reports[-1].user_properties, *properties]  # where junit.xml looks for them
        return reports

    def fails(self, finding):
        return GRADES.index(finding["severity"]) >= GRADES.index(self.config.getini("mpsan_fail_on"))

    def pytest_terminal_summary(self, terminalreporter):
        if self.unwatched:
            terminalreporter.write_line(f"mpsan is not on PATH: {self.unwatched} marked tests ran without it", yellow=True)
        if not self.watched:
            return
        terminalreporter.section("mpsan")
        for test, finding in self.found:
            if finding["severity"] != "note" or self.fails(finding):
                terminalreporter.write_line(f"{finding['severity']}: {finding['rule']} {finding['fingerprint']} in {test}")
        if self.gone:
            terminalreporter.write_line(f"in the baseline, and in none of these tests: {', '.join(sorted(self.gone))}")
        terminalreporter.write_line(f"tests watched: {self.watched}, findings: {len(self.found)}")


def read(file):
    return file.read_text(errors="replace") if file.exists() else ""


def made(item, when, outcome, text):
    return pytest.TestReport(nodeid=item.nodeid, location=item.location, keywords=dict.fromkeys(item.keywords, 1),
                             outcome=outcome, longrepr=text, when=when)


def failure(item, text):
    return made(item, "call", "failed", text)


def ending(how):
    return f"killed by {signal.Signals(how['signal']).name}" if how["signal"] else f"with exit status {how['code']}"


def story(finding):
    """A finding as people read it, without pytest's own frames; the report of `mpsan run` has them all."""
    lines = [f"mpsan: {finding['severity']}: {finding['rule']}: {finding['message']}"]
    for number, step in enumerate(finding["evidence"], 1):
        lines.append(f"  {number}. {step['what']}")
        frames = [frame for frame in step["python"] if not any(own in frame["file"] for own in OWN)]
        lines += [f"       {frame['function']} {frame['file']}:{frame['line']}" for frame in frames]
        if not step["python"]:
            lines += [f"       {frame['function'] or '??'} ({frame['module']})" for frame in step["stack"][:12]]
    return "\n".join([*lines, f"  fix: {finding['fix']}", f"  fingerprint: {finding['fingerprint']}"])
