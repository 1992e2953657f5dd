#!/usr/bin/env python3
"""Programs of tests/preload stand in the folder of their topic and are named after the rule that their header expects."""
# cases

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import ROOT, header_lines, main  # noqa: E402

PRELOAD = ROOT / "tests/preload"
HELPERS = "lib"


def sources():
    return sorted(path for path in PRELOAD.rglob("*") if path.suffix in (".c", ".py"))


def slugs():
    """Longest first: a slug may begin with another one."""
    tables = "".join(path.read_text() for path in (ROOT / "include").glob("mpsan_rules*.def"))
    return sorted(re.findall(r'^RULE\(\w+, "([\w-]+)"', tables, re.M), key=len, reverse=True)


def expectations(path):
    """The rules that a program expects to be told of, also in a note; {"none"} for none; empty for what is driven by others."""
    stated = [(key, value.split()[0]) for key, value in header_lines(path) if key in ("expect", "note")]
    expected = {slug for key, slug in stated if key == "expect"}
    return expected | {slug for key, slug in stated if expected}


def rule_of(stem, known):
    """The rule after which a program is named, `none` for silent-VARIANT."""
    if stem.startswith("silent-"):
        return "none"
    return next((slug for slug in known if stem == slug or stem.startswith(slug + "-")), None)


def check_folders():
    rows = set(re.findall(r"^\| `([a-z-]+)/` \| ", (ROOT / "tests/README.md").read_text(), re.M))
    folders = {path.name for path in PRELOAD.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= rows, f"no row in tests/README.md: {sorted(folders - rows)}"
    lost = [path.name for path in sources() if path.parent == PRELOAD and not path.name.startswith("test_")
            or len(path.relative_to(PRELOAD).parts) > 2]
    assert not lost, f"stand in no topic's folder: {lost}"


def check_names():
    known, wrong, folders = slugs(), [], {}
    for path in sources():
        expected, rule = expectations(path), rule_of(path.stem, known)
        if path.parent.name == HELPERS or path.parent == PRELOAD:
            continue
        if expected and rule not in expected or not expected and "-" in path.stem:
            wrong.append(f"{path.relative_to(PRELOAD)} expects {sorted(expected)}")
        elif rule not in ("none", None):
            folders.setdefault(rule, set()).add(path.parent.name)
    assert not wrong, "not named after a rule that it expects:\n" + "\n".join(wrong)
    assert len(folders) > 50, f"only {len(folders)} rules have a program: the pattern misses some"
    spread = {rule: places for rule, places in folders.items() if len(places) > 1}
    assert not spread, f"programs of one rule in several folders: {spread}"


main({"folders": check_folders, "names": check_names})
