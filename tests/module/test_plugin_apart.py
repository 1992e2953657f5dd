#!/usr/bin/env python3
"""pytest --mpsan: what a test sees and leaves is as without it, although it runs in a pytest of its own."""
# cases
# limit: 120

import re
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, ROOT, main, need_module, run_bare, system_python  # noqa: E402

ENVIRONMENT = {"PYTHONPATH": f"{ROOT}/tools/python", "MPSAN": str(MPSAN)}


def pytest(text, *words):
    """Exit status, output, {test: outcome} and the place of one file of tests."""
    need_module(system_python(), "pytest")
    place = Path(tempfile.mkdtemp())
    (place / "test_file.py").write_text(text)
    (place / "pytest.ini").write_text("[pytest]\n")
    run = run_bare([system_python(), "-m", "pytest", "-p", "mpsan.pytest_plugin", "--basetemp", place / "base", "-rA", *words, place],
                   timeout=100, env=ENVIRONMENT)
    return run, dict((test, word) for word, test in re.findall(r"^(PASSED|FAILED|ERROR) \S*::test_(\w+)", run.out, re.M)), place


def alike(text, outcomes, *words):
    """As bare: outcomes and exit status."""
    bare, bare_outcomes, _ = pytest(text, *words)
    run, found, place = pytest(text, "--mpsan", *words)
    assert (run.exit, found) == (bare.exit, bare_outcomes) and found == outcomes, (bare, run)
    return run, place


INNER = """
import os, subprocess, sys
def test_other(tmp_path):
    (tmp_path / "test_x.py").write_text("def test_bad(): assert 0")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", str(tmp_path)], stdout=subprocess.PIPE)
    assert done.returncode == 1 and b"1 failed" in done.stdout
def test_child():
    pid = os.fork()
    if pid == 0:
        raise SystemExit(3)
    os.waitpid(pid, 0)
"""


def check_pytest_within():
    """A pytest that a test starts, or a child that returns into pytest, reports nothing to ours."""
    run, _, _ = pytest(INNER, "--mpsan")
    summary = run.out.rpartition("tests watched: ")[2]
    assert run.exit == 0 and "2 passed" in summary and "failed" not in summary, run
    need_module(system_python(), "xdist")
    run, _, _ = pytest(INNER, "--mpsan", "-n", "2")
    assert run.exit == 0 and "2 passed" in run.out and "INTERNALERROR" not in run.out, run


def check_cache():
    run, place = alike("def test_cache(cache): cache.set('mine/x', 1)\ndef test_bad(): assert 0\n", {"cache": "PASSED", "bad": "FAILED"})
    assert (place / ".pytest_cache/v/mine/x").exists() and "test_bad" in (place / ".pytest_cache/v/cache/lastfailed").read_text(), run
    again = run_bare([system_python(), "-m", "pytest", "-p", "mpsan.pytest_plugin", "--mpsan", "--lf", place], env=ENVIRONMENT)
    assert "1 failed" in again.out and "passed" not in again.out, again


def check_left_behind():
    """A child that the test leaves running keeps nobody waiting."""
    began = time.monotonic()
    _, found, _ = pytest("import os, time\ndef test_leaves():\n    if os.fork() == 0:\n        time.sleep(90)\n        os._exit(0)\n", "--mpsan")
    assert found == {"leaves": "PASSED"} and time.monotonic() - began < 60, (time.monotonic() - began, found)


def check_warnings():
    """Their classes are those that the test used, also for the pytest to which a worker of pytest-xdist reports."""
    text = ("import warnings\nclass Odd(UserWarning):\n    def __init__(self, one, two): super().__init__(one)\n"
            "def test_warns(): warnings.warn('careful')\ndef test_old(): warnings.warn('past', DeprecationWarning)\n"
            "def test_odd(): warnings.warn(Odd('strange', 2))\n")
    for words in ((), ("-n", "2")):
        if words:
            need_module(system_python(), "xdist")
            text = text.partition("def test_odd")[0]  # pytest-xdist cannot take it from a worker
        run, _ = alike(text, {name: "PASSED" for name in re.findall(r"def test_(\w+)", text)}, *words)
        assert "UserWarning: careful" in run.out and "DeprecationWarning: past" in run.out, run
        assert ("Odd: strange" in run.out) == ("odd" in text), run


def check_directories():
    """That of a failed test is still there when others have come after it."""
    text = "import pytest\n@pytest.mark.parametrize('n', range(5))\ndef test_n(tmp_path, n):\n    (tmp_path / 'x').touch()\n    assert n\n"
    _, _, place = pytest(text, "--mpsan")
    assert len(list(place.glob("base/**/x"))) == 5, sorted(place.rglob("*"))


def check_exit():
    """pytest.exit() ends the whole run, and a name that changes is told as such."""
    run, _, _ = pytest("import pytest\ndef test_first(): pytest.exit('enough', returncode=9)\ndef test_second(): pass\n", "--mpsan")
    assert run.exit == 9 and "enough" in run.out and "passed" not in run.out, run
    run, found, _ = pytest("import pytest, time\n@pytest.mark.parametrize('n', [time.time()])\ndef test_n(n): pass\n", "--mpsan")
    assert run.exit == 1 and "is its name another one each time?" in run.out, run


def check_clean_up():
    """At its limit a test has its fixtures' end, too."""
    text = ("import pathlib, pytest, time\n@pytest.fixture\ndef server():\n    yield\n    pathlib.Path(__file__).with_name('ended').touch()\n"
            "def test_long(server): time.sleep(60)\n")
    run, found, place = pytest(text, "--mpsan", "-o", "mpsan_timeout=2")
    assert found == {"long": "FAILED"} and "longer than its limit" in run.out and (place / "ended").exists(), run


def check_refused():
    """One line, before any test."""
    for words, line in (("--mpsan=--dir '", "No closing quotation"), ("--mpsan=--dir x", "each test is a session"),
                        ("--mpsan=--write-baseline x", "each test would overwrite it"), ("--mpsan=--report json=x", "would overwrite"),
                        ("--mpsan=--help", "is no option for a test"), ("--mpsan=-- true", "is no option for a test")):
        run, _, _ = pytest("def test_x(): pass\n", words)
        assert run.exit == 4 and line in run.err and "Traceback" not in run.err, run
    for limit in ("-1", "nan", "inf", "soon"):
        run, _, _ = pytest("def test_x(): pass\n", "--mpsan", "-o", f"mpsan_timeout={limit}")
        assert run.exit == 4 and "not a number of seconds" in run.err, run


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
