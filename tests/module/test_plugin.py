#!/usr/bin/env python3
"""pytest --mpsan from the sources: findings and hangs belong to their tests, with pytest-xdist and pytest-timeout as well; a
run without it is as ever."""
# cases
# limit: 120

import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import FINDINGS_EXIT, MPSAN, ROOT, main, need_module, run_bare, system_python  # noqa: E402

PROJECT = Path(__file__).resolve().parent / "project"
FAST = "not hangs and not slow"


def pytest(*words, before=(), **environment):
    """Exit status, output, and {test: letter} of a run of the project in a directory of its own."""
    need_module(system_python(), "pytest")
    place = Path(tempfile.mkdtemp(), "project")
    shutil.copytree(PROJECT, place, ignore=shutil.ignore_patterns("__pycache__"))
    run = run_bare([*before, system_python(), "-m", "pytest", "-p", "mpsan.pytest_plugin", "--rootdir", place, "-c", place / "pytest.ini",
                    "-p", "no:cacheprovider", "-rA", "--flavour=lemon", *words, place], timeout=100,
                   env={"PYTHONPATH": f"{ROOT}/tools/python", "MPSAN": str(MPSAN), **environment})
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
    assert re.search(r"longer than its limit \(pytest-timeout\):\n.*\n.*\n.*line \d+ in test_slow\n(?!  File)", run.out), run.out
    assert "'words' == 'other words'" in run.out, run.out


def check_level():
    """Notes and warnings fail no test, unless the options or a project file say so."""
    run, outcomes = pytest("--mpsan", "-k", "finding")
    assert (run.exit, outcomes) == (0, {"finding": "P"}) and "tests watched: 1, findings: 2" in run.out, run
    run, outcomes = pytest("-k", "finding", "-o", "mpsan_options=--fail-on note", "--mpsan")
    assert (run.exit, outcomes) == (1, {"finding": "F"}), run


def check_without():
    run, outcomes = pytest("-k", FAST)
    assert outcomes == dict(passes="P", option="P", watched="P", fails="F", finding="P"), run
    assert "watched: False" in run.out and "tests watched" not in run.out, run


def check_marked():
    run, outcomes = pytest("--mpsan", "-o", "mpsan_marked=true", "-k", "watched")
    assert outcomes == {"watched": "P"} and "watched: False" in run.out, run


def check_wrong():
    """One line, before any test, and pytest's exit status for wrong usage."""
    for words, said in ((["--mpsan=--nonsense"], "--nonsense"), (["--mpsan=loud"], "begin with --"), (["--mpsan=--fail-on x"], "fail-on")):
        run, outcomes = pytest(*words)
        assert run.exit == 4 and not outcomes and said in run.err, run
    run, outcomes = pytest("--mpsan", MPSAN="", PATH="/usr/bin:/bin")
    assert run.exit == 4 and "neither beside this Python package nor on PATH" in run.err, run


def check_path():
    """--mpsan does not swallow the path behind it."""
    run, outcomes = pytest("-k", "passes", "--mpsan")
    assert (run.exit, outcomes) == (0, {"passes": "P"}), run


def check_inside():
    """Under `mpsan run` the tests still have sessions of their own."""
    run, outcomes = pytest("--mpsan", "-k", "hangs or watched", before=[MPSAN, "run", "--report", "text=/dev/null", "--"])
    assert outcomes == {"watched": "P", "hangs": "F"} and run.exit == 1 != FINDINGS_EXIT, run
    assert "mpsan: error: deadlock-cycle" in run.out and "  in test_project.py::test_hangs\n" in run.out, run


main({"all": check_all, "level": check_level, "without": check_without, "marked": check_marked, "wrong": check_wrong,
      "path": check_path, "inside": check_inside})
