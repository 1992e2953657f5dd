# SPDX-License-Identifier: Apache-2.0
"""Findings as Python objects, from the JSON report."""

import json
import subprocess
import textwrap
from dataclasses import dataclass
from typing import Any, Dict, List

from . import _command

SEVERITIES = ("note", "warning", "error")
COLUMNS = 100
NATIVE_FRAMES = 12  # shown of a stack without Python


@dataclass(frozen=True)
class Finding:
    """A finding of the report; str() is its story. `evidence` is as in the JSON report: mpsan help reports."""

    rule: str
    severity: str
    message: str
    what: str
    why: str
    fix: str
    fingerprint: str
    count: int
    pid: int
    tid: int
    thread: str
    evidence: List[Dict[str, Any]]

    @classmethod
    def of(cls, data: Dict[str, Any]) -> "Finding":
        return cls(**{name: data.get(name) for name in cls.__dataclass_fields__})  # type: ignore[arg-type]

    def __str__(self) -> str:
        return self.story()

    def story(self, test: str = "", hidden: "tuple[str, ...]" = ()) -> str:
        """The finding as people read it, of this test, without frames of files whose path contains one of `hidden`."""
        lines = [f"mpsan: {self.severity}: {self.rule}: {self.what or self.message}"]
        lines += [f"  in {test}"] if test else []
        lines += [f"  {self.why}"] if self.why else []
        lines += textwrap.wrap(self.fix, COLUMNS, initial_indent="  → ", subsequent_indent="    ")
        for number, step in enumerate(self.evidence, 1):
            lines.append(f"  {number}. {step['what']}")
            frames = [frame for frame in step["python"] if not any(part in frame["file"] for part in hidden)]
            lines += [f"       {frame['function']} {frame['file']}:{frame['line']}" for frame in frames]
            if not step["python"]:
                lines += [f"       {frame['function'] or '??'} ({frame['module']})" for frame in step["stack"][:NATIVE_FRAMES]]
        return "\n".join([*lines, f"  fingerprint: {self.fingerprint}"])


def check_severity(at_least: str) -> None:
    if at_least not in SEVERITIES:
        raise ValueError(f"{at_least!r} is no severity: take {', '.join(SEVERITIES)}")


def judge(session: str, at_least: str) -> List[Finding]:
    command = _command.find()
    if not command:
        raise RuntimeError(f"mpsan: {_command.MISSING}")
    run = subprocess.run([command, "report", "--report", "json=-", "--fail-on", "never", session], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode:
        raise RuntimeError(f"mpsan: cannot judge {session}: {run.stderr.decode(errors='replace').strip()}")
    found = [Finding.of(data) for data in json.loads(run.stdout)["findings"]]
    return [finding for finding in found if SEVERITIES.index(finding.severity) >= SEVERITIES.index(at_least)]
