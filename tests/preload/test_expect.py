#!/usr/bin/env python3
"""Runs the programs of the folders beside it and holds each against the expectation in its own header."""
# cases

import functools
import os
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import (  # noqa: E402
    BUILD, Expectation, check_program, main, other_pythons, states_expectation, system_python)


WANTED = {case.split("@")[0] for case in sys.argv[1:] if not case.startswith("-")}


def sources(pattern):
    return [path for path in sorted(HERE.glob(f"*/{pattern}")) if path.parent.name != "lib"]


def stated(pattern):
    """Sources with an expectation, if wanted; check_all_driven sees to the others."""
    named = [path for word in WANTED for path in (HERE / word, HERE / f"{word}.c") if path.match(pattern) and path.exists()]
    return [path for path in (named if WANTED else sources(pattern)) if states_expectation(path)]


def check_all_driven():
    """A source without an expectation is named by a script here or a program beside it, or nothing would ever run it."""
    for path in [*sources("*.c"), *sources("*.py")]:
        if not states_expectation(path):
            scripts = [*HERE.glob("test_*"), *(other for other in path.parent.glob("*.py") if other != path)]
            users = [script for script in scripts if path.stem in script.read_text()]
            assert users, f"{path.name} states no expectation, and no script or program there uses it"


def name_of(source):
    return source.relative_to(HERE).as_posix()


def c_cases():
    for source in stated("*.c"):
        name = name_of(source)[:-len(".c")]
        yield name, functools.partial(check_program, [BUILD / "tests/preload" / name], source)


def python_cases():
    for source in stated("*.py"):
        pythons = {"": system_python()}
        if Expectation(source).all_pythons:
            others = other_pythons()
            oldest_first = sorted(others, key=lambda version: int(version.split(".")[1]))
            end = zlib.crc32(source.stem.encode()) % 2 - 1  # the oldest for one half, the newest for the other
            wanted = others if os.environ.get("MPSAN_FULL") else oldest_first[end:][:1]
            pythons.update({version: others[version] for version in wanted})
        for version, python in pythons.items():
            name = name_of(source) + (f"@{version}" if version else "")
            yield name, functools.partial(check_program, [python, source], source)


main(dict([("all-driven", check_all_driven), *c_cases(), *python_cases()]))
