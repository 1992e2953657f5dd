#!/usr/bin/env python3
"""--level=forks: what a forked child proves is told and killed, loads and waits of others are not looked at, and the report says so."""
# cases
# limit: 250

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, LIBRARY, MPSAN, main, run_bare  # noqa: E402

PROGRAMS = BUILD / "tests/preload"
LIMIT = "with --level=forks "


def report_of(*command, options=()):
    """(exit status, rules of the findings, limits)"""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "report.json")
        run = run_bare([MPSAN, "run", *options, "--report", f"json={file}", "--", *command], timeout=100)
        document = json.loads(file.read_text())
    return run.exit, {finding["rule"] for finding in document["findings"]}, document["limits"]


def check_told():
    status, rules, limits = report_of(PROGRAMS / "fork/fork-orphaned-lock-mutex", options=["--level=forks", "--on-deadlock=kill"])
    assert status == 66 and "fork-orphaned-lock" in rules, (status, rules)
    assert any(limit.startswith(LIMIT) for limit in limits), limits


def check_not_looked_at():
    loaded = PROGRAMS / "workers/affinity-inherited"
    assert "affinity-inherited" not in report_of(loaded, options=["--level", "forks"])[1]
    _, _, limits = report_of("true", options=["--level", "full"])  # that this level tells of the load is a case of test_expect.py
    assert not any(limit.startswith(LIMIT) for limit in limits), limits


def check_alone():
    """Without the command, and its report of later."""
    with tempfile.TemporaryDirectory() as directory:
        env = {**os.environ, "LD_PRELOAD": str(LIBRARY), "MPSAN_DIR": f"{directory}/s", "MPSAN_OPTIONS": "level=forks:print=no"}
        subprocess.run([PROGRAMS / "fork/fork-own-lock-errorcheck"], env=env, check=False, timeout=30)
        run = run_bare([MPSAN, "report", f"{directory}/s"])
    assert "error: fork-own-lock" in run.out + run.err and LIMIT in run.out + run.err, run


def check_wrong():
    run = run_bare([MPSAN, "run", "--level=locks", "--", "true"])
    assert run.exit == 2 and run.err == "mpsan: --level locks: no such level; use full or forks\n", run
    assert run_bare([MPSAN, "env", "--level=forks"]).out.count("level=forks") == 1


main({name.removeprefix("check_"): case for name, case in list(globals().items()) if name.startswith("check_")})
