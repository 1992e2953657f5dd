#!/usr/bin/env python3
"""Healthy pairs: each healthy Python program of the tests bare and under mpsan on each Python at hand, until there are PAIRS of
them on it: the same output and exit status, and neither a warning nor an error. healthy.py [PYTHON | PROGRAM]...

Programs of the trial, of preload/ and the examples that expect nothing; but for those that may be warned of, or that somebody
outside ends, and those that a `watched:` line says to be told otherwise.
"""

import collections
import concurrent.futures
import itertools
import sys

from pythons import ROOT, judge, pythons

sys.path.insert(0, str(ROOT / "tests/lib"))

from mpsantest import header_lines  # noqa: E402

PAIRS = 300
AT_ONCE = 3


def is_healthy(path):
    values = list(header_lines(path))
    return ("expect", "none") in values and not {key for key, _ in values} & {"stop", "fake", "run", "needs", "may", "watched"}


def programs():
    sources = [*ROOT.glob("tests/trial/silent/*.py"), *ROOT.glob("tests/preload/*/silent-*.py"), *ROOT.glob("examples/*/*.py")]
    return [path.relative_to(ROOT).as_posix() for path in sorted(sources) if is_healthy(path)]


def run_pairs(name, command, sources):
    """How often each verdict was heard."""
    rows = [sources[at::AT_ONCE] for at in range(AT_ONCE)]

    def one(row):
        heard = collections.Counter()
        for source, word, why in judge(lambda row: command(["--pairs", *row]), row):
            heard[word] += 1
            print(f"{word} {name} {source} {why}".rstrip(), flush=True)
        return heard

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return sum(pool.map(one, rows), collections.Counter())


def main():
    all_pythons, all_programs, words = pythons(), programs(), sys.argv[1:]
    chosen = [word for word in words if word not in all_pythons]
    sources = [source for source in all_programs if not chosen or any(word in source for word in chosen)]
    if not chosen:
        sources = list(itertools.islice(itertools.cycle(sources), max(PAIRS, len(sources))))
    failed = 0
    for name, command in all_pythons.items():
        if name in words or not set(words) & set(all_pythons):
            count = run_pairs(name, command, sources)
            failed += count["FAIL"]
            print(f"{name}: {count['PASS']} healthy pairs alike, {count['FAIL']} not, {count['SKIP']} skipped", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
