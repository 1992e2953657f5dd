#!/usr/bin/env python3
"""Runs the tests on aarch64, in a virtual machine: run.py [-j N] [GROUP | GROUP/NAME[:CASE] | FILE]...

They were cross-built before (make check-aarch64). Without words: all groups but those that ask about this checkout or this
machine. Prints a line for each test and a summary, and exits with 1 when one fails that known.txt does not name, or passes
that it names.
"""

import argparse
import collections
import fnmatch
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

import machine  # noqa: E402
import orders  # noqa: E402
from mpsantest import BUILD, ROOT, SKIPPED  # noqa: E402

SLOW = 3  # times a machine of its own
ELSEWHERE = ("structure", "pythons", "torch", "trial", "bench", "fuzz", "install")
RESULT = re.compile(r"(PASS|FAIL|SKIP) (\S+) \([0-9.]+ s\)(?: - (.*))?$")
WORDS = BUILD / "aarch64/words"


def known_rows():
    """(pattern, why) of known.txt."""
    lines = (HERE / "known.txt").read_text().splitlines()
    return [tuple(line.split(": ", 1)) for line in lines if line and not line.startswith("#")]


def known_as(name):
    return next((why for pattern, why in known_rows() if fnmatch.fnmatchcase(name, pattern)), None)


def groups():
    listing = subprocess.run([sys.executable, ROOT / "tests/run", "-l"], stdout=subprocess.PIPE, text=True, check=True,
                             env={"PATH": "/usr/bin:/bin", "BUILD": str(BUILD / "aarch64")}).stdout
    return sorted({name.rpartition("/")[0] for name in listing.split() if name.split("/")[0] not in ELSEWHERE})


def run_all(words, jobs):
    """{name: (verdict, why)} and whether all were run; the output of what fails unexpectedly is shown."""
    found, shown, ended, line = {}, False, None, ""
    (BUILD / "aarch64").mkdir(exist_ok=True)
    WORDS.write_text("\n".join(words))
    command = ["xargs", "-a", WORDS.relative_to(ROOT), "python3", "tests/run", "-j", jobs]
    for line in machine.run(command, WORDS.parent, BUILD="build/aarch64", MPSAN_SLOW=SLOW):
        match = RESULT.match(line)
        if match:
            verdict, name, why = match.groups()
            found[name] = verdict, why or ""
            shown = verdict == "FAIL" and known_as(name) is None
        if match or shown:
            print(line, flush=True)
        ended = ended or machine.ENDED.match(line)
    if not ended:
        print(f"the machine ended before the tests did: {line}")
    return found, ended


def differences(found):
    for name, (verdict, _) in sorted(found.items()):
        known = known_as(name)
        if verdict == "FAIL" and known is None:
            yield f"fails, and known.txt does not say so: {name}"
        elif verdict == "PASS" and known is not None and not known.startswith("sometimes"):
            yield f"passes, and known.txt says that it fails: {name}"


def reasons(found):
    """The tests that were skipped or are known to fail, by name, with the reason."""
    for name, (verdict, why) in sorted(found.items()):
        if verdict == "SKIP":
            yield f"skipped: {name}: {why}"
        elif verdict == "FAIL" and known_as(name) is not None:
            yield f"known: {name}: {known_as(name)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-j", "--jobs", type=int, default=6, help="tests at a time (6)")
    parser.add_argument("--there", action="store_true", help="say only whether there is such a machine here")
    parser.add_argument("wanted", nargs="*", help="words of tests/run")
    options = parser.parse_args()
    missing = machine.missing()
    if missing:
        print(f"check-aarch64: {missing}")
        return SKIPPED
    if options.there:
        return 0
    found, ended = run_all(options.wanted or groups(), options.jobs)
    wrong = [*orders.missing(), *differences(found)]
    counts = collections.Counter(verdict for verdict, _ in found.values())
    known = sum(verdict == "FAIL" and known_as(name) is not None for name, (verdict, _) in found.items())
    print("", *reasons(found), *wrong, sep="\n")
    print(f"aarch64: {counts['PASS']} passed, {counts['FAIL']} failed ({known} of them known), {counts['SKIP']} skipped")
    return 1 if wrong or not found or not ended else 0


if __name__ == "__main__":
    sys.exit(main())
