#!/usr/bin/env python3
"""Runs programs with one Python and says of each whether it did what its header says: inside.py PYTHON SOURCE..."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import ROOT, Skip, check_program  # noqa: E402


def verdict(python, source):
    try:
        check_program([python, ROOT / source], ROOT / source, timeout=40)
    except Skip as reason:
        return f"SKIP {source} {reason}"
    except AssertionError as reason:
        return f"FAIL {source} {str(reason).splitlines()[0][:200]}"
    return f"PASS {source}"


for name in sys.argv[2:]:
    print(verdict(sys.argv[1], name), flush=True)
