#!/usr/bin/env python3
"""Runs the programs of this directory and holds each against the expectation in its own header."""
# cases

import functools
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import (  # noqa: E402
    BUILD, Expectation, check_program, main, other_pythons, states_expectation, system_python)


def is_test(path):
    return path.name.startswith("test_")


def stated(pattern):
    """Sources with an expectation; check_all_driven sees to the others."""
    return [path for path in sorted(HERE.glob(pattern)) if not is_test(path) and states_expectation(path)]


def check_all_driven():
    """A source without an expectation is named by a script beside it, or nothing would ever run it."""
    scripts = [path for path in HERE.glob("*.*") if path.suffix in (".py", ".sh")]
    for path in [*HERE.glob("*.c"), *HERE.glob("*.py")]:
        if is_test(path) or states_expectation(path):
            continue
        users = [script for script in scripts if script != path and path.stem in script.read_text()]
        assert users, f"{path.name} states no expectation, and no script here runs it"


def c_cases():
    for source in stated("*.c"):
        program = BUILD / "tests/preload" / source.stem
        yield source.stem, functools.partial(check_program, [program], source)


def python_cases():
    for source in stated("*.py"):
        pythons = {"": system_python()}
        if Expectation(source).all_pythons:
            others = other_pythons()
            newest_first = sorted(others, key=lambda version: int(version.split(".")[1]), reverse=True)
            wanted = others if os.environ.get("MPSAN_FULL") else newest_first[:1] + newest_first[-1:]
            pythons.update({version: others[version] for version in wanted})
        for version, python in pythons.items():
            name = source.name + (f"@{version}" if version else "")
            yield name, functools.partial(check_program, [python, source], source)


main(dict([("all-driven", check_all_driven), *c_cases(), *python_cases()]))
