#!/usr/bin/env python3
"""Runs programs with one Python and says of each whether it did what its header says: inside.py PYTHON [--pairs] SOURCE...
With --pairs: whether a healthy program is the same bare and watched."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import ROOT, Skip, check_program, header_lines, run_bare, run_mpsan, show, verdicts  # noqa: E402

LIMIT = 90


def check_pair(command, source):
    options = " ".join(value for key, value in header_lines(source) if key == "options").split()
    bare = run_bare(command, LIMIT)
    watched = run_mpsan(command, options, LIMIT)
    assert not verdicts(watched.report), f"found {sorted(verdicts(watched.report))}: {show(watched.report)}".replace("\n", " ")
    assert (watched.exit, watched.out) == (bare.exit, bare.out), f"exit {watched.exit}, bare {bare.exit}; output {watched.out!r}, {bare.out!r}"


def verdict(python, source, pairs):
    try:
        if pairs:
            check_pair([python, ROOT / source], ROOT / source)
        else:
            check_program([python, ROOT / source], ROOT / source, timeout=40)
    except Skip as reason:
        return f"SKIP {source} {reason}"
    except AssertionError as reason:
        return f"FAIL {source} {str(reason).splitlines()[0][:400]}"
    return f"PASS {source}"


python, *words = sys.argv[1:]
for name in words:
    if name != "--pairs":
        print(verdict(python, name, words[0] == "--pairs"), flush=True)
