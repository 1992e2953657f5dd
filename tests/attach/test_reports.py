#!/usr/bin/env python3
"""The table of README.md agrees with the headers of its programs; table.py sees to what attach tells."""
# cases

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]

from mpsantest import Expectation, main  # noqa: E402
from reports import path_of, reports, told  # noqa: E402


def check_headers():
    rows = reports()
    assert len(rows) > 40, f"only {len(rows)} rows were read"
    for row in rows:
        header = Expectation(path_of(row))
        assert told(row.library) == header.required, f"{row.name}: its header expects {sorted(header.required)}"
        assert bool(row.ends) != header.hangs, f"{row.name}: ends or not?"


def check_outside():
    """Of programs that hang, what the `outside:` line says; the same as with the library where there is none."""
    for row in reports():
        if not row.ends:
            outside = Expectation(path_of(row)).outside
            want = outside.split(": ", 1) if outside else [row.library, ""]
            assert [row.attach, row.missing] == want, f"{row.name}: {want}"


def check_missing():
    """Who says less than the library says for want of which facts."""
    for row in reports():
        assert bool(row.missing) == (row.attach != row.library), f"{row.name}: which facts are missing?"


main({"headers": check_headers, "outside": check_outside, "missing": check_missing})
