#!/usr/bin/env python3
"""Sessions recorded in every past format are still read: the same events, the same findings.

format-N.tar.xz is a session of a forked child that waits for a mutex named "connection pool"; format-N.jsonl
is what `mpsan dump --json` said of it when it was recorded. When the format changes, add a pair; never replace one.
"""
# cases

import functools
import json
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import MPSAN, dump, main, run_bare  # noqa: E402


def as_then(event, expected):
    """Fields may be added to what is said of an event, and of a process."""
    return {key: as_then(value, expected[key]) if key == "process" else value
            for key, value in event.items() if key in expected}


def check(archive):
    with tempfile.TemporaryDirectory() as directory:
        with tarfile.open(archive) as tar:
            tar.extractall(directory)
        session = next(Path(directory).iterdir())
        expected = [json.loads(line) for line in archive.with_suffix("").with_suffix(".jsonl").open()]
        read = dump(session)
        assert len(read) == len(expected), "there are other events"
        assert [as_then(*pair) for pair in zip(read, expected)] == expected, "the events are read differently"
        report = json.loads(run_bare([MPSAN, "report", "--report", "json=-", session]).out)
        found = {(finding["rule"], finding["severity"]) for finding in report["findings"]}
        assert found == {("fork-orphaned-lock", "error"), ("fork-threads", "note")}, found
        error = next(f for f in report["findings"] if f["severity"] == "error")
        assert "connection pool" in error["message"], error["message"]


main({archive.name: functools.partial(check, archive) for archive in sorted(HERE.glob("*.tar.xz"))})
