#!/usr/bin/env python3
"""README.md is short, and what it says is there: topics, links, rules, the command of CI, the output it shows."""
# cases

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, ROOT, main, run_bare, system_python  # noqa: E402

TEXT = (ROOT / "README.md").read_text()
LINES = 150
PICTURE_BYTES = 150_000


def check_length():
    assert len(TEXT.splitlines()) <= LINES, f"{len(TEXT.splitlines())} lines; topics have their pages in tools/man/topics"


def check_topics():
    """Those of the map are all that there are, and the others that it names exist."""
    there = {path.stem for path in (ROOT / "tools/man/topics").glob("*.md")}
    mapped = set(re.findall(r"^\| \[(\w+)\]\(tools/man/topics/\1\.md\) \|", TEXT, re.M))
    assert mapped == there, f"not in the map {there - mapped}, not there {mapped - there}"
    words = set(re.findall(r"mpsan help ([a-z]+)", TEXT))
    assert words and words <= there, words - there


def check_links():
    links = re.findall(r"\]\(([^)]+)\)", TEXT)
    missing = [link for link in links if not re.match(r"https?:", link) and not (ROOT / link).exists()]
    assert len(links) > 10 and not missing, missing
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", TEXT)
    assert len(pictures) == 1 and (ROOT / pictures[0]).stat().st_size <= PICTURE_BYTES, pictures


def check_rules():
    """The slugs of the table of families."""
    rules = [line.split()[0] for line in run_bare([MPSAN, "list", "rules"]).out.splitlines()]
    named = re.findall(r"^\| [^|]+ \| `([a-z-]+)` \|", TEXT, re.M)
    assert len(named) >= 8 and set(named) <= set(rules), set(named) - set(rules)


def check_ci():
    """The command that CI runs, word for word."""
    command = (ROOT / ".ci/run").read_text().splitlines()[-1]
    assert command.startswith("tools/dev/bootstrap") and command in TEXT, command


def plain(line):
    """A line without what differs from run to run."""
    return re.sub(r"(?<![:\w])(0x[0-9a-f]+|\d{2,})\b", "N", line.replace(f"{ROOT}/", "")).strip()


def check_output():
    """Each line of a sample is one of the output, as far as its ellipsis, and in that order."""
    samples = re.findall(r"^\$ mpsan (run\b.*?) ?-- python3 (\S+)\n(.*?)(?=^\$|^```)", TEXT, re.M | re.S)
    assert len(samples) > 2, samples
    for options, program, sample in samples:
        out = run_bare([MPSAN, *options.split(), "--", system_python(), ROOT / program]).err
        lines = iter([plain(line) for line in out.splitlines()])
        for wanted in map(plain, sample.splitlines()):
            start = wanted.removesuffix("…")
            assert any(line == wanted or wanted != start and line.startswith(start) for line in lines), f"{wanted}\n{out}"


main({"length": check_length, "topics": check_topics, "links": check_links, "rules": check_rules, "ci": check_ci,
      "output": check_output})
