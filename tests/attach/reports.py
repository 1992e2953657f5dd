"""The table of README.md: real reports, the programs that reproduce them, and what mpsan attach tells of these."""

import re
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"\| (.+?) \| `(.+?)`( \(ends\))? \| (.+?) \| (.+?) \| (.*?) ?\|")
Report = namedtuple("Report", "report name ends library attach missing")


def reports():
    lines = Path(__file__).with_name("README.md").read_text().splitlines()
    return [Report(*row.groups()) for row in map(ROW.fullmatch, lines) if row]


def path_of(report):
    return (ROOT / "tests" / report.name).resolve()


def told(text):
    """{'RULE GRADE'} of a list in the table: one that depends on the moment ends with "or nothing"."""
    return set(re.split(r", (?:or )?", text)) - {"nothing"}
