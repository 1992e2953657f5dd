#!/usr/bin/env python3
"""Runs every example and holds it against the expectation in its header; the table names them all."""
# cases
# limit: 120

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
sys.path.insert(0, str(ROOT / "tests/lib"))

from mpsantest import check_program, main, system_python  # noqa: E402


def check_python(source):
    check_program([system_python(), source], source)


def check_c(source):
    """Built as its header tells a reader to build it."""
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory, source.stem)
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-g", "-pthread", "-I", ROOT / "include", source, "-o", program, "-ldl"], check=True)
        check_program([program], source)


def check_table():
    table = (EXAMPLES / "README.md").read_text()
    missing = [source for source in sources() if f"({source.relative_to(EXAMPLES)})" not in table]
    assert not missing, f"not in examples/README.md: {missing}"


def sources():
    return sorted([*EXAMPLES.glob("*/*.py"), *EXAMPLES.glob("*/*.c")])


def cases():
    for source in sources():
        check = check_python if source.suffix == ".py" else check_c
        yield str(source.relative_to(EXAMPLES)), functools.partial(check, source)
    yield "table", check_table


main(dict(cases()))
