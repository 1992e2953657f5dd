#!/usr/bin/env python3
"""pytest --mpsan from the sources: findings and hangs belong to their tests, with pytest-xdist and pytest-timeout as well; a
run without it is as ever."""
# cases
# limit: 120

import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import FINDINGS_EXIT, MPSAN, ROOT, main, need_module, run_bare, system_python  # noqa: E402

ENVIRONMENT = {"PYTHONPATH": f"{ROOT}/tools/python", "MPSAN": str(MPSAN)}
PROJECT = Path(__file__).resolve().parent / "project"
FAST = "not hangs and not slow"


def pytest(*words, before=(), **environment):
    """Exit status, output, and {test: letter} of a run of the project in a directory of its own."""
    need_module(system_python(), "pytest")
    place = Path(tempfile.mkdtemp(), "project")
    shutil.copytree(PROJECT, place, ignore=shutil.ignore_patterns("__pycache__"))
    run = run_bare([*before, system_python(), "-m", "pytest", "-p", "mpsan.pytest_plugin", "--rootdir", place, "-c", place / "pytest.ini",
                    "-p", "no:cacheprovider", "-rA", "--flavour=lemon", *words, place], timeout=100,
                   env={**ENVIRONMENT, **environment})
    outcomes = {test: word[0] for word, test in re.findall(r"^(PASSED|FAILED|ERROR) \S*test_project.py::test_(\w+)", run.out, re.M)}
    return run, outcomes


def check_all():
    """Four workers and time limits: each test as it should be, hangs by their proof."""
    for module in ("xdist", "pytest_timeout"):
        need_module(system_python(), module)
    run, outcomes = pytest("--mpsan=--fail-on warning --rule fork-lock-held=warning", "-n", "4", "--timeout", "40")
    assert outcomes == dict(passes="P", option="P", watched="P", fails="F", finding="F", hangs="F", slow="F"), run
    assert run.exit == 1 and "tests watched: 7" in run.out and "watched: True" in run.out, run
    assert re.search(r"^mpsan: error: deadlock-cycle: .*\n  in test_project.py::test_hangs$", run.out, re.M), run.out
    assert re.search(r"^mpsan: warning: fork-lock-held: .*\n  in test_project.py::test_finding$", run.out, re.M), run.out
    assert re.search(r"longer than its limit:\n.*\n.*\n.*line \d+ in test_slow\n(?!  File)", run.out), run.out
    assert "'words' == 'other words'" in run.out, run.out


def check_level():
    """Notes and warnings fail no test, unless the options or a project file say so."""
    run, outcomes = pytest("--mpsan", "-k", "finding")
    assert (run.exit, outcomes) == (0, {"finding": "P"}) and "tests watched: 1, findings: 0, notes: 2" in run.out, run
    run, outcomes = pytest("-k", "finding", "-o", "mpsan_options=--fail-on note", "--mpsan")
    assert (run.exit, outcomes) == (1, {"finding": "F"}), run


def check_without():
    run, outcomes = pytest("-k", FAST)
    assert outcomes == dict(passes="P", option="P", watched="P", fails="F", finding="P"), run
    assert "watched: False" in run.out and "tests watched" not in run.out, run


def check_as_started():
    """A watched test has the warnings, the interpreter's options and the threads that it has otherwise."""
    place = Path(tempfile.mkdtemp(), "test_project.py")
    place.write_text("import os, sys, warnings\ndef test_warns(): warnings.warn('old')\n"
                     "def test_mode(): assert sys.flags.dev_mode\n"
                     "def test_forks(): os.waitpid(os.fork() or os._exit(0), 0)\n")
    run = run_bare([system_python(), "-X", "dev", "-m", "pytest", "-p", "mpsan.pytest_plugin", "-p", "no:cacheprovider", "-W", "error", "-rA",
                    "--mpsan=--fail-on note", place], timeout=100, env=ENVIRONMENT)
    outcomes = re.findall(r"^(PASSED|FAILED) \S*::test_(\w+)", run.out, re.M)
    assert sorted(outcomes) == [("FAILED", "warns"), ("PASSED", "forks"), ("PASSED", "mode")], run


def check_marked():
    run, outcomes = pytest("--mpsan", "-o", "mpsan_marked=true", "-k", "watched")
    assert outcomes == {"watched": "P"} and "watched: False" in run.out, run


def check_wrong():
    """One line, before any test, and pytest's exit status for wrong usage."""
    for words, said in ((["--mpsan=--nonsense"], "--nonsense"), (["--mpsan=loud"], "begin with --"), (["--mpsan=--fail-on x"], "fail-on")):
        run, outcomes = pytest(*words)
        assert run.exit == 4 and not outcomes and said in run.err, run
    run, outcomes = pytest("--mpsan", "-o", "mpsan_timeout=soon")
    assert run.exit == 4 and "mpsan_timeout = soon: not a number" in run.err, run
    run, outcomes = pytest("--mpsan", MPSAN="", PATH="/usr/bin:/bin")
    assert run.exit == 4 and "neither beside this Python package nor on PATH" in run.err, run


def check_path():
    """--mpsan does not swallow the path behind it."""
    run, outcomes = pytest("-k", "passes", "--mpsan")
    assert (run.exit, outcomes) == (0, {"passes": "P"}), run


def check_unwatched():
    """Where mpsan itself cannot work the test counts as it is, and that is said."""
    fake = Path(tempfile.mkdtemp(), "mpsan")
    fake.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\n"$@"; status=$?\necho "mpsan: no room"\nexit $status\n')
    fake.chmod(0o755)
    run, outcomes = pytest("--mpsan", "-k", "watched or fails", MPSAN=str(fake))
    assert run.exit == 1 and outcomes == {"watched": "P", "fails": "F"}, run
    assert "tests that ran without mpsan: 2, mpsan: no room" in run.out and "watched: False" in run.out, run


def check_limit():
    """Without pytest-timeout, too, a test that hangs without a proof is ended, and says where it stood."""
    run, outcomes = pytest("-p", "no:timeout", "--mpsan", "-o", "mpsan_timeout=1", "-k", "slow")
    assert run.exit == 1 and outcomes == {"slow": "F"} and "in test_slow" in run.out, run


def check_canceled():
    """Also one that cancels the watchdog of the interpreter, as tests of faulthandler do."""
    place = Path(tempfile.mkdtemp(), "test_project.py")
    place.write_text("import faulthandler, time\ndef test_slow(): faulthandler.cancel_dump_traceback_later(); time.sleep(60)\n")
    run = run_bare([system_python(), "-m", "pytest", "-p", "mpsan.pytest_plugin", "-p", "no:cacheprovider", "-p", "no:timeout", "--mpsan",
                    "-o", "mpsan_timeout=1", place], timeout=50, env=ENVIRONMENT)
    assert run.exit == 1 and "longer than its limit:\nits stacks are not known" in run.out, run


def check_ended(number, status):
    """A signal ends the watched test as well, and its files are gone."""
    need_module(system_python(), "pytest")
    command = [system_python(), "-m", "pytest", "-p", "mpsan.pytest_plugin", "-p", "no:cacheprovider", "-p", "no:timeout", "-s",
               "--mpsan", "-k", "slow", PROJECT]
    mark, place = f"MPSAN_TEST_INTERRUPTED={os.getpid()}", tempfile.mkdtemp()
    process = subprocess.Popen(list(map(str, command)), env={**os.environ, **ENVIRONMENT, "TMPDIR": place, mark.split("=")[0]: mark.split("=")[1]},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not list(Path(place).glob("pytest-mpsan-*/stacks")):  # the watched pytest has begun
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    assert process.wait(timeout=30) == status and not marked(mark)
    assert not list(Path(place).glob("pytest-mpsan-*"))


def marked(mark):
    """Processes with this in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            found += [place.name] if mark.encode() in (place / "environ").read_bytes().split(b"\0") else []
        except OSError:
            pass
    return found


def check_inside():
    """Under `mpsan run` the tests still have sessions of their own."""
    run, outcomes = pytest("--mpsan", "-k", "hangs or watched", before=[MPSAN, "run", "--report", "text=/dev/null", "--"])
    assert outcomes == {"watched": "P", "hangs": "F"} and run.exit == 1 != FINDINGS_EXIT, run
    assert "mpsan: error: deadlock-cycle" in run.out and "  in test_project.py::test_hangs\n" in run.out, run


main({"all": check_all, "as_started": check_as_started, "level": check_level, "without": check_without, "marked": check_marked, "wrong": check_wrong,
      "path": check_path, "inside": check_inside, "limit": check_limit, "unwatched": check_unwatched, "canceled": check_canceled,
      "interrupted": functools.partial(check_ended, signal.SIGINT, 2), "terminated": functools.partial(check_ended, signal.SIGTERM, -signal.SIGTERM)})
