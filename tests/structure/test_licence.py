#!/usr/bin/env python3
"""Each source of the library and the command names its licence in its first line, or behind the one that names its interpreter."""
# cases

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import ROOT, main  # noqa: E402

LINE = "SPDX-License-Identifier: Apache-2.0"
SUFFIXES = {".c", ".h", ".def", ".S", ".map", ".css", ".js", ".in", ".py"}


def sources():
    for place in ("include", "shim", "tools"):
        for path in (ROOT / place).rglob("*"):
            if path.suffix in SUFFIXES or path.is_file() and not path.suffix and path.read_bytes()[:2] == b"#!":
                yield path


def names_licence(path):
    lines = path.read_text().splitlines()
    return any(re.search(rf"{re.escape(LINE)}\b", line) for line in lines[:2 if lines[0].startswith(("#!", "#compdef")) else 1])


def check_sources():
    found = list(sources())
    assert len(found) > 500, len(found)
    without = [str(path.relative_to(ROOT)) for path in found if not names_licence(path)]
    assert not without, f"first line without {LINE}: {without}"


def check_licence():
    """It is that of LICENSE, and of the Debian packages."""
    assert "Apache License\n                           Version 2.0" in (ROOT / "LICENSE").read_text()
    assert "License: Apache-2.0" in (ROOT / "tools/dev/debian/copyright").read_text()


main({"sources": check_sources, "licence": check_licence})
