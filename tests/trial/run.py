#!/usr/bin/env python3
"""Runs the trial and prints its table: run.py [-j N] [--table FILE] [GROUP | GROUP/NAME]...

Each program is run under `mpsan run` and held against its header. The table says what was expected, what was found, after
how many seconds, and what was said of the limit; failures stand first. Exits with 1 when a program differs whose header
has no `watched:` line that says so, or when one that has such a line no longer does.
"""

import argparse
import concurrent.futures
import sys
import threading
import time
from pathlib import Path

import trial
from mpsantest import Skip

TITLES = ("program", "expected", "found", "seconds", "of the limit")
WIDTHS = (48, 40, 44, 7, 0)


def chosen(wanted):
    found = list(trial.programs())
    if not wanted:
        return found
    words = [word.rstrip("/") for word in wanted]
    return [program for program in found
            if any(program.name == word or program.name.rsplit(".", 1)[0] == word or program.name.startswith(word + "/")
                   for word in words)]


def run_one(program):
    try:
        return trial.judge(program, trial.run_program(program))
    except Skip as reason:
        return str(reason)
    except AssertionError as reason:
        return trial.Verdict("?", "?", "-", "-", str(reason).splitlines()[-1])


def row(cells):
    return "  ".join(f"{cell[:width] if width else cell:<{width}}" for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()


def table(rows, failures_only=False):
    """Failures first, each with a line that says what differs."""
    lines = [row(TITLES)]
    for program, verdict in sorted(rows, key=lambda item: (not item[1].wrong, item[0].name)):
        if verdict.wrong or not failures_only:
            lines.append(row([program.name, verdict.expected, verdict.found, verdict.seconds, verdict.limit]))
        if verdict.wrong:
            lines.append(f"    {verdict.wrong}")
    return "\n".join(lines)


def summary(rows, skipped):
    hanging = [verdict for program, verdict in rows if program.expects]
    healthy = [verdict for program, verdict in rows if not program.expects]
    right = sum(not verdict.wrong for verdict in hanging)
    silent = sum(not verdict.wrong for verdict in healthy)
    return f"{right} of {len(hanging)} hanging programs told right, {silent} of {len(healthy)} healthy ones silent, {len(skipped)} skipped"


def run_all(programs, jobs):
    rows, skipped, lock = [], [], threading.Lock()

    def one(program):
        verdict = run_one(program)
        with lock:
            if isinstance(verdict, str):
                skipped.append(program)
                print(f"SKIP {program.name}: {verdict}", flush=True)
            else:
                rows.append((program, verdict))
                print(f"{'FAIL' if verdict.wrong else 'PASS'} {program.name} ({verdict.seconds} s) {verdict.wrong}".rstrip(), flush=True)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, programs))
    return rows, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-j", "--jobs", type=int, default=2, help="programs at a time (2)")
    parser.add_argument("--table", type=Path, help="write the table to this file as well")
    parser.add_argument("wanted", nargs="*", help="a group, or a program by its name")
    options = parser.parse_args()
    programs = chosen(options.wanted)
    if not programs:
        print("run.py: no program of that name", file=sys.stderr)
        return 2
    rows, skipped = run_all(programs, options.jobs)
    differences = [f"{program.name}: {difference}" for program, verdict in rows if (difference := trial.difference(program, verdict))]
    text = "\n".join([table(rows), "", summary(rows, skipped), *differences])
    print(f"\n{text}")
    if options.table:
        options.table.write_text(f"{time.strftime('%H:%M')}\n{text}\n")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
