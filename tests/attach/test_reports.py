#!/usr/bin/env python3
"""The table of README.md agrees with the headers of its programs and with known.txt; table.py sees to what attach tells."""
# cases

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]

from mpsantest import Expectation, main  # noqa: E402
from reports import path_of, reports, told  # noqa: E402


def known_differences():
    lines = (line.split(": ", 2) for line in (HERE / "known.txt").read_text().splitlines() if not line.startswith("#"))
    return {name: rest for name, *rest in lines}


def check_headers():
    rows = reports()
    assert len(rows) > 40, f"only {len(rows)} rows were read"
    for row in rows:
        header = Expectation(path_of(row))
        assert told(row.library) == header.required, f"{row.name}: its header expects {sorted(header.required)}"
        assert bool(row.ends) != header.hangs, f"{row.name}: ends or not?"


def check_known():
    """Of programs that hang, what known.txt says; the same as with the library where it says nothing."""
    known = known_differences()
    for row in reports():
        if not row.ends:
            want = known.get(row.name, [row.library, ""])
            assert [row.attach, row.missing] == want, f"{row.name}: {want}"


def check_missing():
    """Who says less than the library says for want of which facts."""
    for row in reports():
        assert bool(row.missing) == (row.attach != row.library), f"{row.name}: which facts are missing?"


main({"headers": check_headers, "known": check_known, "missing": check_missing})
