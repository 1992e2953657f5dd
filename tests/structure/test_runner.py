#!/usr/bin/env python3
"""tests/run: what it prints at its end."""
# cases

import contextlib
import importlib.machinery
import importlib.util
import io
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import ROOT, main  # noqa: E402


def runner():
    """tests/run as a module."""
    loader = importlib.machinery.SourceFileLoader("runner", str(ROOT / "tests/run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("runner", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def check_costs():
    """The slowest, with what they took of a processor; then what all took; the counts are the last line."""
    module = runner()
    summary = module.Summary()
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        for number in range(50):
            test = type("Test", (), {"name": f"group/case-{number}"})
            summary.add(module.Result(test, "PASS", float(number), number / 4, ""))
        status = summary.close()
    table = text.getvalue().partition("slowest")[2].splitlines()[1:]
    assert status == 0 and table[-1] == "50 passed, 0 failed, 0 skipped", table
    assert table[0].split() == ["49.0", "12.2", "group/case-49"] and table[39].split()[2] == "group/case-10", table
    assert table[40].split()[1:3] == ["306.2", "all"], table


main({name[6:]: case for name, case in list(globals().items()) if name.startswith("check_")})
