# SPDX-License-Identifier: Apache-2.0
"""pytest --mpsan[=OPTIONS]: each test runs in a pytest of its own under `mpsan run OPTIONS`, so that what is found is found
in that test. A test with findings fails with their stories; in junit.xml they are properties of its test case.

    pytest --mpsan                                      # every test
    pytest --mpsan="--policy ci --fail-on warning"      # with options of mpsan run, over those of a .mpsan.conf
    pytest --mpsan -n 4 --timeout 60                    # with pytest-xdist and pytest-timeout

Without --mpsan nothing is different. ini options (pytest.ini, pyproject.toml, …):
    mpsan_options = --baseline mpsan.baseline     options of mpsan run, before those of the command line
    mpsan_marked = true                           watch only tests with the marker mpsan (@pytest.mark.mpsan)
    mpsan_timeout = 60                            seconds after which a test is ended; 0, the default: no limit

A hang ends its test at its proof, not at a time limit. Limits of pytest-timeout hold, but no alarm is set for them, which
would count as a way out of the hang: the watched pytest writes the stacks of its threads when the time is up, and is ended.
Fixtures of a wider scope than a function are set up anew for each watched test, whose pytest has the plugins and options of
this one, except those that choose tests, capture, debug, write reports or distribute. mpsan-python(7) says what differs.
"""

import contextlib
import copy
import faulthandler
import json
import math
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import pytest

from . import _command
from ._findings import SEVERITIES, Finding

INNER = "MPSAN_PYTEST"  # in the environment of a watched pytest: the directory of its options and reports
SECTION = "mpsan"
POLL, BEGINNING, GRACE = 0.1, 120, 5  # seconds between two looks; for what comes before the test; for the watchdog, and to clean up
OWN = ("/_pytest/", "/pluggy/", "/pytest/__main__.py", "/pytest_timeout.py", "<frozen runpy>")  # frames that say nothing of a test
KEEPERS = ("lfplugin", "nfplugin", "stepwise")  # plugins that keep what came of the whole run
# Options that a watched pytest has not: they choose tests, show or write results, distribute or debug.
OUTER = {"basetemp", "cacheclear", "cacheshow", "capture", "collectonly", "confcutdir", "deselect", "failedfirst", "file_or_dir",
         "htmlpath", "ignore", "ignore_glob", "inifilename", "json_report_file", "keepduplicates", "keyword", "lf", "log_file",
         "markexpr", "maxfail", "mpsan", "newfirst", "override_ini", "pastebin", "plugins", "pyargs", "report_log", "rootdir",
         "stepwise", "stepwise_skip", "trace", "usepdb", "usepdb_cls", "version", "xmlpath",
         "dist", "distload", "looponfail", "loadgroup", "maxprocesses", "maxworkerrestart", "numprocesses", "px", "rsyncdir",
         "testrunuid", "tx"}


def pytest_addoption(parser):
    group = parser.getgroup("mpsan", "the multiprocessing sanitizer")
    group.addoption("--mpsan", nargs="?", const="", metavar="OPTIONS", default=None,
                    help="run each test under `mpsan run OPTIONS`; a test with findings fails")
    parser.addini("mpsan_options", "options of `mpsan run` for --mpsan", default="")
    parser.addini("mpsan_marked", "--mpsan: watch only tests that are marked mpsan", type="bool", default=False)
    parser.addini("mpsan_timeout", "--mpsan: seconds after which a test is ended; 0: no limit", default="0")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config, parser, args):
    """`--mpsan tests/` names tests, not options, which argparse cannot know."""
    if "--mpsan" in args:
        args[:] = ["--mpsan=" if word == "--mpsan" else word for word in args]
        early_config.known_args_namespace = parser.parse_known_args(args, namespace=copy.copy(early_config.option))


def pytest_cmdline_main(config):
    """In the watched pytest: the options of the one outside, before anything is configured by them."""
    if os.environ.get(INNER):
        vars(config.option).update(json.loads(Path(os.environ[INNER], "options").read_text())["options"])


def pytest_configure(config):
    config.addinivalue_line("markers", "mpsan: with mpsan_marked, the tests that --mpsan runs under `mpsan run`")
    place = os.environ.pop(INNER, None)  # a pytest that the test starts is none of ours
    if place:
        restore("PYTEST_ADDOPTS", json.loads(Path(place, "options").read_text())["addopts"])
        config.pluginmanager.register(Recorder(config, Path(place)), "mpsan-recorder")
    elif config.getoption("mpsan") is not None:
        config.pluginmanager.register(Watcher(config), "mpsan-watcher")


def restore(name, value):
    os.environ.pop(name, None)
    if value is not None:
        os.environ[name] = value


class Recorder:
    """In the watched pytest: hands its reports to the one outside, one line each, so that none is lost with a crash, and its
    stacks when the time is up. The interpreter's watchdog does that, which can end no wait."""

    def __init__(self, config, place):
        self.config, self.place = config, place
        self.end, self.pid = None, os.getpid()
        # The watchdog is a thread, which no test has started: there is none while it forks.
        os.register_at_fork(before=faulthandler.cancel_dump_traceback_later, after_in_parent=self.set_again)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)  # before pytest-timeout
    def pytest_runtest_protocol(self):
        self.stacks = open(self.place / "stacks", "w")
        self.set_limit(float(self.config.getini("mpsan_timeout")))
        yield  # the end of the interpreter has its limit, too

    def set_limit(self, seconds):
        """0: none."""
        self.end = time.monotonic() + seconds if seconds else None
        (self.place / "end.new").write_text(repr(self.end or math.inf))  # for the one outside: a test may cancel the watchdog
        os.replace(self.place / "end.new", self.place / "end")
        faulthandler.cancel_dump_traceback_later()
        self.set_again()

    def set_again(self):
        if self.end is not None:
            faulthandler.dump_traceback_later(max(self.end - time.monotonic(), 0.001), file=self.stacks)

    def write(self, name, data):
        """A child that a test has forked has nothing to say, also where it returns into pytest."""
        if os.getpid() == self.pid:
            with open(self.place / name, "a") as out:
                out.write(json.dumps(data, default=str) + "\n")

    def pytest_runtest_logreport(self, report):
        self.write("reports", self.config.hook.pytest_report_to_serializable(config=self.config, report=report))

    def pytest_warning_recorded(self, warning_message, when, nodeid, location):
        kind = warning_message.category
        self.write("warnings", [str(warning_message.message), kind.__module__, kind.__qualname__, warning_message.filename,
                                warning_message.lineno, when, nodeid, location])

    def pytest_keyboard_interrupt(self, excinfo):
        """KeyboardInterrupt, or pytest.exit(), which ends the whole run."""
        self.write("interrupt", [str(excinfo.value), getattr(excinfo.value, "returncode", None)])

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_timeout_set_timer(self, item, settings):
        self.set_limit(settings.timeout)
        return True

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_timeout_cancel_timer(self, item):
        self.set_limit(float(self.config.getini("mpsan_timeout")))
        return True


class Watcher:
    """In the pytest that was started, and in each worker of pytest-xdist: runs tests elsewhere, reports what came of them."""

    def __init__(self, config):
        self.config = config
        self.command = _command.find()
        if not self.command:
            raise pytest.UsageError(f"--mpsan: {_command.MISSING}")
        given = config.getoption("mpsan")
        self.options = [*words_of("mpsan_options", config.getini("mpsan_options")), *words_of("--mpsan", given)]
        self.limit = self.seconds("mpsan_timeout")
        if given and not given.lstrip().startswith("-"):
            raise pytest.UsageError(f"--mpsan={given}: not options of mpsan run, which begin with --")
        if not hasattr(config, "workerinput"):  # the workers of pytest-xdist have the same
            self.check_options()
        self.watched, self.unwatched, self.found = 0, [], []
        self.gone = None  # what the baseline has, and no test so far

    def seconds(self, name):
        with contextlib.suppress(ValueError):
            value = float(self.config.getini(name))
            if math.isfinite(value) and value >= 0:
                return value
        raise pytest.UsageError(f"{name} = {self.config.getini(name)}: not a number of seconds")

    def check_options(self):
        """Wrong options are said once, before any test."""
        for word, after in zip(self.options, [*self.options[1:], ""]):
            name, _, value = word.partition("=")
            value = value or after
            if name in ("--", "-h", "--help"):
                raise pytest.UsageError(f"--mpsan: {name} is no option for a test")
            if name == "--write-baseline" or (name == "--report" and value.partition("=")[2] not in ("", "-", "stderr")):
                raise pytest.UsageError(f"--mpsan: {name} {value}: each test would overwrite it; "
                                        "--junitxml has the findings of all, and `mpsan run -- python -m pytest` is one run")
            if name == "--dir" and "%p" not in value:
                raise pytest.UsageError(f"--mpsan: --dir {value}: each test is a session; write %p for its number")
        run = subprocess.run([*self.run_words(), "--report", "json=/dev/null", "--", "true"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.config.invocation_params.dir)
        if run.returncode == 2:
            raise pytest.UsageError(f"--mpsan: {run.stderr.decode(errors='replace').strip()}")

    def run_words(self):
        return [self.command, "run", "--on-deadlock=kill-hopeless", *self.options]

    def pytest_report_header(self):
        return f"mpsan: {shlex.join(self.run_words())}"

    def watches(self, item):
        return not self.config.getini("mpsan_marked") or item.get_closest_marker("mpsan") is not None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        if not self.watches(item):
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports, interrupt = self.run(item)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        if interrupt:
            raise pytest.exit.Exception(*interrupt)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_timeout_set_timer(self, item, settings):
        """pytest-timeout's limit is for the watched pytest, which has it as well."""
        return True if self.watches(item) else None

    def run(self, item):
        with tempfile.TemporaryDirectory(prefix="pytest-mpsan-") as place:
            place = Path(place)
            _, sep, inside = item.nodeid.partition("::")
            (place / "options").write_text(json.dumps({"options": self.passed_on(), "addopts": os.environ.get("PYTEST_ADDOPTS")}))
            command = [*self.run_words(), "--report", f"json={place}/report.json", "--",
                       sys.executable, *subprocess._args_from_interpreter_flags(), "-m", "pytest",
                       *(word for name in KEEPERS for word in ("-p", f"no:{name}")), "-c", str(self.config.inipath or os.devnull),
                       "--rootdir", str(self.config.rootpath), *self.words(), *self.basetemp(), "-o", "addopts=", "-o", "faulthandler_timeout=0", f"{item.path}{sep}{inside}"]
            environment = {**os.environ, INNER: str(place), "PYTEST_ADDOPTS": ""}
            # Not through a pipe, which a child that the test leaves behind would keep open.
            with terminations() as asked, open(place / "output", "wb") as out:
                process = subprocess.Popen(command, env=environment, cwd=self.config.invocation_params.dir,
                                           stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
                late = self.wait(process, place, asked)
            output = read(place / "output")
            if asked:
                shutil.rmtree(place)
                os.kill(os.getpid(), signal.SIGTERM)
            reports = [self.restored(json.loads(line)) for line in read(place / "reports").splitlines()]
            for line in read(place / "warnings").splitlines():
                self.warn(*json.loads(line))
            interrupt = "" if late else read(place / "interrupt")
            return self.judged(item, reports, read(place / "report.json"), output, late), interrupt and json.loads(interrupt)

    def judged(self, item, reports, document, output, late):
        if not document and not any(report.when == "teardown" for report in reports):
            return [*reports, failure(item, f"mpsan could not watch {item.nodeid}:\n{output}")]
        if not document:  # a full disk or a limit: it ran as without mpsan
            reports[-1].user_properties.append(("mpsan.unwatched", reason(output)))
            return reports
        return attribute(item, reports, json.loads(document), output, late)

    def warn(self, text, module, name, file, line, when, nodeid, location):
        """For the summary, and for the pytest that a worker reports to, which imports the class by its name."""
        kind = getattr(sys.modules.get(module), name, None)
        if not isinstance(kind, type) or not issubclass(kind, Warning):
            kind, text = UserWarning, f"{name}: {text}"
        try:
            message = warnings.WarningMessage(kind(text), kind, file, line)
        except TypeError:  # it takes other arguments
            message = warnings.WarningMessage(UserWarning(f"{name}: {text}"), UserWarning, file, line)
        self.config.hook.pytest_warning_recorded.call_historic(
            kwargs={"warning_message": message, "when": when, "nodeid": nodeid, "location": location and tuple(location)})

    def basetemp(self):
        """Below this pytest's own, so that directories of failed tests are kept as without mpsan."""
        factory = getattr(self.config, "_tmp_path_factory", None)
        return ("--basetemp", str(factory.mktemp("mpsan"))) if factory else ()

    def passed_on(self):
        """The options that JSON can hold, without those of OUTER and of pytest-cov, whose files have one writer."""
        return {name: value for name, value in vars(self.config.option).items()
                if name not in OUTER and not name.startswith("cov") and simple(value)}

    def restored(self, data):
        """A report as it was before it became JSON, which knows no tuples: what prints skips insists on one."""
        report = self.config.hook.pytest_report_from_serializable(config=self.config, data=data)
        if isinstance(report.longrepr, list):
            report.longrepr = tuple(report.longrepr)
        return report

    def wait(self, process, place, asked):
        """How its time was up, if it was. In time or not, mpsan writes its report, and nobody is left."""
        beginning = time.monotonic() + max(self.limit, BEGINNING) if self.limit else math.inf
        try:
            while not asked and not read(place / "stacks") and time.monotonic() < float(read(place / "end") or beginning) + GRACE:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(POLL)
                    return ""
        except BaseException:  # Ctrl-C
            self.end(process)
            raise
        self.end(process)
        return f"the test took longer than its limit:\n{without_own(read(place / 'stacks')) or 'its stacks are not known'}"

    def end(self, process):
        """First as Ctrl-C does, so that fixtures clean up; mpsan hands SIGTERM on to the test."""
        for end, seconds in ((lambda: os.killpg(process.pid, signal.SIGINT), GRACE), (process.terminate, 2 * GRACE)):
            end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
                return
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def words(self):
        """The options -p, -o and -W of this pytest, which take effect before plugins see any."""
        for name in self.config.option.plugins:
            if name != "no:terminal":  # of a worker
                yield from ("-p", name)
        for setting in self.config.option.override_ini or ():
            if not setting.startswith("addopts="):
                yield from ("-o", setting)
        for warning in self.config.known_args_namespace.pythonwarnings or ():
            yield from ("-W", warning)

    def pytest_runtest_logreport(self, report):
        """In the pytest that was started: also of the reports that workers sent."""
        for name, value in report.user_properties:
            if name == "mpsan.watched":
                self.watched += 1
            elif name == "mpsan.gone":
                gone = set(value.split())
                self.gone = gone if self.gone is None else self.gone & gone
            elif name == "mpsan.unwatched":
                self.unwatched.append(value)
            elif name.startswith("mpsan."):
                self.found.append((name[len("mpsan."):], " ".join(value.split(":", 1)[0].split()), report.nodeid))

    def pytest_terminal_summary(self, terminalreporter):
        if not self.watched and not self.unwatched:
            return
        terminalreporter.section(SECTION)
        for severity, what, test in self.found:
            if severity != "note":
                terminalreporter.write_line(f"{severity}: {what} in {test}")
        if self.unwatched:
            terminalreporter.write_line(f"tests that ran without mpsan: {len(self.unwatched)}, {self.unwatched[0]}", yellow=True)
        if self.gone:
            terminalreporter.write_line(f"in the baseline, and in none of these tests: {', '.join(sorted(self.gone))}")
        notes = sum(severity == "note" for severity, _, _ in self.found)
        terminalreporter.write_line(f"tests watched: {self.watched}, findings: {len(self.found) - notes}, notes: {notes}")


def words_of(name, text):
    try:
        return shlex.split(text)
    except ValueError as error:
        raise pytest.UsageError(f"{name}={text}: {error}") from None


@contextlib.contextmanager
def terminations():
    """Collects SIGTERM, which is to end the watched test first: it is in a session of its own. A handler of others stays."""
    asked = []
    own = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if own:
        signal.signal(signal.SIGTERM, lambda number, frame: asked.append(number))
    try:
        yield asked
    finally:
        if own:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def attribute(item, reports, document, output, late):
    """The test's own reports, with what was found in it, or how it ended without one."""
    findings = [Finding.of(data) for data in document["findings"]]
    loud = [finding for finding in findings if fails(finding, document["fail_on"])]
    texts = [late] if late else []
    texts += [finding.story(item.nodeid, OWN) for finding in loud]
    if not texts and not any(report.when == "call" or report.failed or report.skipped for report in reports):
        texts = [f"the process of the test ended before the test did, {ending(document['exit'])}:\n{output}"]
        if document["exit"]["code"] == pytest.ExitCode.USAGE_ERROR:
            texts = [f"a pytest of its own did not find the test: is its name another one each time?\n{output}"]
    text = "\n".join(texts)
    call = next((report for report in reports if report.when == "call"), None)
    if text and not call:
        reports.append(failure(item, text))
    elif text and call.failed:
        call.sections.append((SECTION, text))
    elif text:
        call.outcome, call.longrepr = "failed", text
        vars(call).pop("wasxfail", None)
    if not any(report.when == "teardown" for report in reports):
        reports.append(made(item, "teardown", "passed", None))
    # Where junit.xml looks for them.
    gone = [("mpsan.gone", " ".join(document["baseline"]["gone"]))] if "baseline" in document else []
    reports[-1].user_properties = [*reports[-1].user_properties, ("mpsan.watched", "yes"), *gone,
                                   *((f"mpsan.{finding.severity}", f"{finding.rule} {finding.fingerprint}: {finding.message}")
                                     for finding in findings)]
    return reports


def fails(finding, level):
    return level != "never" and SEVERITIES.index(finding.severity) >= SEVERITIES.index(level)


def without_own(stacks):
    return "\n".join(line for line in stacks.splitlines() if not any(own in line for own in OWN))


def reason(output):
    """What mpsan says of itself, or the last line."""
    lines = output.strip().splitlines()
    return next((line for line in lines if line.startswith("mpsan: ")), lines[-1] if lines else "it did not say why")


def simple(value):
    if isinstance(value, (list, tuple)):
        return all(map(simple, value))
    return value is None or isinstance(value, (bool, int, float, str))


def read(file):
    return file.read_text(errors="replace") if file.exists() else ""


def made(item, when, outcome, text):
    return pytest.TestReport(nodeid=item.nodeid, location=item.location, keywords=dict.fromkeys(item.keywords, 1),
                             outcome=outcome, longrepr=text, when=when)


def failure(item, text):
    return made(item, "call", "failed", text)


def ending(how):
    return f"killed by {signal.Signals(how['signal']).name}" if how["signal"] else f"with exit status {how['code']}"
