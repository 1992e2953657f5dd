#!/usr/bin/env python3
"""Runs the programs that work with Python's locks on every Python at hand and prints a table: run.py [PYTHON | PROGRAM]...

A program is one of tests/preload or examples, and does what its header says. Exits with 1 when one differs that known.txt
does not name, or when one that it names no longer does.
"""

import concurrent.futures
import os
import sys

from pythons import judge, known_failures, programs, pythons

SIGN = {"PASS": "ok", "FAIL": "FAIL", "SKIP": "-"}


def run_all(wanted, sources):
    """{(python, program): (verdict, why)}; programs mostly wait, so two Pythons for each processor at a time."""
    found = {}

    def one(name):
        for source, word, why in judge(wanted[name], sources):
            found[name, source] = word, why
            print(f"{word} {name} {source} {why}".rstrip(), flush=True)

    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        list(pool.map(one, wanted))
    return found


def table(names, sources, found):
    width = {name: max(8, len(name) + 2) for name in names}
    yield f"{'program':<64}" + "".join(f"{name:>{width[name]}}" for name in names)
    for source in sources:
        yield f"{source:<64}" + "".join(f"{SIGN[found.get((name, source), ('SKIP', ''))[0]]:>{width[name]}}"
                                         for name in names)


def differences(found):
    known = known_failures()
    for (name, source), (word, why) in sorted(found.items()):
        if word == "FAIL" and (name, source) not in known:
            yield f"fails, and known.txt does not say so: {name} {source}: {why}"
        elif word == "PASS" and (name, source) in known and not known[name, source].startswith("sometimes"):
            yield f"passes, and known.txt says that it fails: {name} {source}"


def main():
    all_pythons, all_programs = pythons(), list(programs())
    words = sys.argv[1:]
    unknown = [word for word in words if word not in all_pythons and not any(word in source for source in all_programs)]
    if unknown:
        sys.exit(f"run.py: no Python and no program: {' '.join(unknown)}")
    wanted = {name: command for name, command in all_pythons.items()
              if name in words or not set(words) & set(all_pythons)}
    named = [word for word in words if word not in all_pythons]
    sources = [source for source in all_programs if not named or any(word in source for word in named)]
    found = run_all(wanted, sources)
    print("", *table(wanted, sources, found), "", sep="\n")
    wrong = list(differences(found))
    passed = sum(word == "PASS" for word, _ in found.values())
    print(*wrong, f"{passed} of {len(found)} as their headers say, on {len(wanted)} Pythons", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
