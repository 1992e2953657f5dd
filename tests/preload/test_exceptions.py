#!/usr/bin/env python3
"""What is recorded of exceptions: by --exceptions and --level, once for each type and place, and how many."""
# cases

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, main, run_bare, system_python  # noqa: E402

RAISES = """
import os
for number in range({count}):
    kind = type(f"Kind{{number}}", (Exception,), {{}})
    for _ in range(3):
        try:
            raise kind("secret")
        except kind:
            os.write(1, b".")
"""
CAUSED = """
import traceback
def load():
    try:
        {}["key"]
    except KeyError as error:
        raise ValueError("no key") from error
try:
    load()
except ValueError:
    traceback.print_exc()
"""


def recorded(source, *options):
    """(the events, the report's limits) of a program."""
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory, "report.json")
        run = run_bare([MPSAN, "run", *options, "--dir", f"{directory}/s", "--report", f"json={report}", "--", system_python(), "-c", source])
        assert run.exit == 0, run
        dump = subprocess.run([MPSAN, "dump", "--json", f"{directory}/s"], check=True, capture_output=True, text=True).stdout
        events = [json.loads(line) for line in dump.splitlines()]
        return [event for event in events if event["event"] == "exception"], json.loads(report.read_text())["limits"]


def check_once():
    events, _ = recorded(RAISES.format(count=2))
    assert [(event["type"], event["text"], event["where"]) for event in events] == [
        ("Kind0", "secret", "other"), ("Kind1", "secret", "other")], events


def check_many():
    events, limits = recorded(RAISES.format(count=80))
    assert len(events) == 64, len(events)
    assert any("exceptions not recorded" in limit and limit.endswith(": 16") for limit in limits), limits


def check_before():
    events, _ = recorded(CAUSED)
    assert [(event["type"], event["text"], event["before_type"]) for event in events] == [("ValueError", "no key", "KeyError")], events
    assert events[0]["python"].startswith("load\t") and events[0]["before"].startswith("load\t"), events


def check_type():
    events, _ = recorded(RAISES.format(count=1), "--exceptions=type")
    assert [(event["type"], event["text"]) for event in events] == [("Kind0", 0)], events


def check_off():
    assert not recorded(RAISES.format(count=1), "--exceptions=off")[0]


def check_level():
    assert recorded(RAISES.format(count=1), "--level=forks")[0]


def check_wrong():
    run = run_bare([MPSAN, "run", "--exceptions=all", "--", "true"])
    assert run.exit == 2 and run.err == "mpsan: --exceptions all: expected full, type or off\n", run


main({name.removeprefix("check_"): case for name, case in list(globals().items()) if name.startswith("check_")})
