#!/usr/bin/env python3
"""tests/run: how many tests run at a time at which load, and what it prints at its end."""
# cases

import contextlib
import importlib.machinery
import importlib.util
import io
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import ROOT, main  # noqa: E402


def runner(idle):
    """tests/run as a module that sees processors idle, or busy, always."""
    loader = importlib.machinery.SourceFileLoader("runner", str(ROOT / "tests/run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("runner", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    module.is_processor_idle, module.LOOK_S = lambda: idle, 0.001
    return module


def most_at_a_time(gate, count, patience=0.1):
    """Of so many, each of which waits for as many others as the gate lets in at most, but not longer than this."""
    inside, most, lock, all_in = 0, 0, threading.Lock(), threading.Event()

    def enter():
        nonlocal inside, most
        with gate:
            with lock:
                inside += 1
                most = max(most, inside)
                if inside == min(gate.most, count):
                    all_in.set()
            all_in.wait(patience)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=enter) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return most


def check_waiting():
    module = runner(idle=True)
    gate = module.Gate(None)
    assert gate.most == module.PROCESSORS + module.WAITING_MOST
    module.LOOK_S = 0
    assert most_at_a_time(gate, 2 * gate.most, patience=50) == gate.most


def check_computing():
    module = runner(idle=False)
    assert most_at_a_time(module.Gate(None), 3 * module.PROCESSORS) <= module.PROCESSORS


def check_fixed():
    assert most_at_a_time(runner(idle=True).Gate(1), 3) == 1
    assert most_at_a_time(runner(idle=False).Gate(3), 6) == 3


def check_costs():
    """The slowest, with what they took of a processor; then what all took; the counts are the last line."""
    module = runner(idle=True)
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
