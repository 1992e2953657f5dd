#!/usr/bin/env python3
"""Healthy programs of other projects (healthy/), three times each under --fail-on warning: the same output and status
as bare, and no warning but those that their headers name as true.

    # needs: MODULE...     Python modules, or MODULE.NAME; for a shell script commands; skipped where one is missing
    # args: WORD...        a case with these arguments; repeatable
    # warns: SLUG reason   a true warning of this program

What fails bare is skipped, with the last line of its output: that is no verdict on mpsan."""
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


def need_name(python, module, name):
    code = f"import importlib, sys; sys.exit(not hasattr(importlib.import_module({module!r}), {name!r}))"
    if run_bare([python, "-c", code], 120).exit:
        raise Skip(f"{module} of {python} has no {name}")


def command_of(source, arguments):
    needs = " ".join(headers(source, "needs")).split()
    if source.suffix == ".sh":
        for name in needs:
            if not shutil.which(name):
                raise Skip(f"no {name}")
        return ["sh", source]
    python = VENV if VENV.exists() else system_python()
    for need in needs:
        module, _, name = need.partition(".")
        need_module(python, module)
        if name:
            need_name(python, module, name)
    return [python, source, *arguments.split()]


def run_unwatched(command):
    try:
        bare = run_bare(command, 120)
    except AssertionError as reason:
        raise Skip(f"bare: {str(reason).splitlines()[0]}") from None
    if bare.exit:
        lines = (bare.out + bare.err).strip().splitlines() or ["no output"]
        raise Skip(f"bare: exit status {bare.exit}: {lines[-1]}")
    return bare


def check(source, arguments):
    command = command_of(source, arguments)
    true = {f"{line.split()[0]} warning" for line in headers(source, "warns")}
    bare = run_unwatched(command)
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
