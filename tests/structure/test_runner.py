#!/usr/bin/env python3
"""tests/run: how many tests it starts at a time, and what it prints at its end."""
# cases

import concurrent.futures
import contextlib
import importlib.machinery
import importlib.util
import io
import sys
import threading
import time
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


def starts(module, idles, ends):
    """How many tests have been let in when the first one ends, which it does after `ends` seconds."""
    module.idle_time = lambda: time.monotonic() if idles else 0.0
    running, first = set(), concurrent.futures.Future()
    threading.Timer(ends, first.set_result, [None]).start()
    while not first.done():
        running.add(concurrent.futures.Future() if running else first)
        module.wait_for_room(running, 3, 6)
    return len(running)


def check_room():
    """Three tests start at once, up to six while a processor idles, and then one for each that ends."""
    module = runner()
    module.LOOK = 0.01
    assert starts(module, idles=False, ends=0.3) == 2
    assert starts(module, idles=True, ends=2) == 5
    assert runner().idle_time() >= 0


main({name[6:]: case for name, case in list(globals().items()) if name.startswith("check_")})
