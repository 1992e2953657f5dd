#!/usr/bin/env python3
"""Healthy programs of other projects (healthy/), three times each under --fail-on warning: the same output and status
as bare, and no warning but those that their headers name as true.

    # needs: MODULE...     Python modules, or for a shell script commands; skipped where one is missing
    # args: WORD...        a case with these arguments; repeatable
    # warns: SLUG reason   a true warning of this program
"""
# cases
# limit: 600
# serial

import functools
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import (FINDINGS_EXIT, ROOT, Skip, header_lines, main, need_module, run_bare, run_mpsan, show,  # noqa: E402
                       system_python, verdicts)

PROGRAMS = Path(__file__).resolve().parent / "healthy"
VENV = ROOT / ".venv/bin/python"  # tools/dev/bootstrap --torch
RUNS = 3


def headers(source, key):
    return [value for name, value in header_lines(source) if name == key]


def command_of(source, arguments):
    needs = " ".join(headers(source, "needs")).split()
    if source.suffix == ".sh":
        for name in needs:
            if not shutil.which(name):
                raise Skip(f"no {name}")
        return ["sh", source]
    python = VENV if VENV.exists() else system_python()
    for name in needs:
        need_module(python, name)
    return [python, source, *arguments.split()]


def check(source, arguments):
    command = command_of(source, arguments)
    true = {f"{line.split()[0]} warning" for line in headers(source, "warns")}
    bare = run_bare(command, 120)
    assert bare.exit == 0, f"bare: {bare}"
    status = FINDINGS_EXIT if true else 0
    for _ in range(RUNS):
        run = run_mpsan(command, ["--fail-on", "warning"], 180)
        assert verdicts(run.report) == true, f"found {verdicts(run.report)}, not {true}\n{show(run.report)}"
        assert (run.exit, run.out) == (status, bare.out), f"exit {run.exit}, not {status}\n{run.out}{run.err}\nbare: {bare.out}"


def cases():
    for source in sorted(PROGRAMS.iterdir()):
        if source.suffix in (".py", ".sh"):
            for arguments in headers(source, "args") or [""]:
                yield "-".join([source.stem, *arguments.split()]), functools.partial(check, source, arguments)


main(dict(cases()))
