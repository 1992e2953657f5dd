#!/usr/bin/env python3
"""Starts programs bare, examines each with `mpsan attach`, and prints a table: table.py [-j N] [--table FILE] [WORD]...

The programs are those of tests/preload that hang for ever, those of the trial that hang, the healthy ones of both, and those
that reproduce the reports in README.md; of these, some end by themselves, and are looked at until then. What is told with the
library is in their headers; the table says what is told without it, and for want of which facts. Exits with 1 when one differs
without an `outside:` line in its header that says so, or when one that has such a line no longer does.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/lib"), str(ROOT / "tests/trial")]

import trial  # noqa: E402
from mpsantest import (  # noqa: E402
    BUILD, MPSAN, Expectation, Skip, fake_environment, header_lines, need_module, remove_left, states_expectation, system_python)
from reports import path_of, reports, told as rules_in  # noqa: E402

START = 0.5  # seconds that a program has had at least when it is examined
SETTLE = 4  # and at most, if it does not come to rest
REST = 0.8  # for which none of its threads has run
MOST = 30  # seconds that a program which ends is looked at
# `report`: its row in README.md, if it is there and ends by itself; `outside`: what is told instead, and the missing facts
Program = namedtuple("Program", "name command expects needs late environment report outside", defaults=({}, None, None))
Row = namedtuple("Row", "program told notes end")


# The programs

def outside_of(path):
    """What its header says, if anything."""
    value = next((value for key, value in header_lines(path) if key == "outside"), None)
    return value and value.split(": ", 1)


def program_of(path):
    """One that carries an expectation; None: nothing to examine."""
    if path.suffix not in (".py", ".c") or not states_expectation(path):
        return None
    expectation = Expectation(path)
    if expectation.fake or expectation.options or (expectation.required and not expectation.hangs):
        return None
    name = path.relative_to(ROOT / "tests")
    command = [system_python(), path] if path.suffix == ".py" else [BUILD / "tests" / name.with_suffix("")]
    return Program(name.as_posix(), command,
                   {verdict.split()[0] for verdict in expectation.required}, expectation.needs, 0, outside=outside_of(path))


def of_headers():
    for path in sorted([*(ROOT / "tests/preload").glob("*/*.*"), *(ROOT / "tests/attach").glob("*/*.*")]):
        program = program_of(path)
        if program:
            yield program


def of_reports(others):
    """Those that end, of which others know nothing; those that hang are among tests/preload's."""
    for report in reports():
        path, expectation = path_of(report), Expectation(path_of(report))
        if report.ends and report.name not in others:
            command = [system_python(), path] if path.suffix == ".py" else [BUILD / "tests" / Path(report.name).with_suffix("")]
            yield Program(report.name, command, set(), expectation.needs, 0, fake_environment(expectation.fake), report)


def of_trial():
    """What the trial knows to be told otherwise, with the library too, is expected to be."""
    for program in trial.programs():
        if program.name.startswith("dresses/") or program.stop:
            continue
        expects = {verdict.split()[0] for choice in program.expects for verdict in choice}
        yield Program(f"trial/{program.name}", program.command, expects, program.needs, (program.within or 0) * 0.7,
                      outside=outside_of(program.source))


# Examining one

def runs_of(pid):
    """How often each thread of a process and of its descendants got a processor."""
    runs = {}
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            runs[task.name] = (task / "schedstat").read_text()
            for child in (task / "children").read_text().split():
                runs.update(runs_of(child))
        except OSError:
            continue  # ended meanwhile
    return runs


def come_to_rest(process, most):
    """Until no thread of the program has run for a while; at most so many seconds."""
    begin = rested = time.monotonic()
    seen = None
    while process.poll() is None and time.monotonic() < begin + most:
        now, runs = time.monotonic(), runs_of(process.pid)
        rested = rested if runs == seen else now
        seen = runs
        if now >= rested + REST and now >= begin + START:
            return
        time.sleep(0.1)


def findings_of(pid, report):
    """({'RULE GRADE'}, {rules of notes}) of the first look that has a finding."""
    try:
        run = subprocess.run([MPSAN, "attach", "--no-conf", "--report", f"json={report}", str(pid)], capture_output=True, text=True,
                             timeout=60)
    except subprocess.TimeoutExpired:
        return {"FAILED: no report within 60 s"}, set()
    if run.returncode not in (0, 66):
        return {f"FAILED: {run.stderr.strip()[-200:]}"}, set()
    loud, notes = set(), set()
    for finding in json.loads(report.read_text())["findings"]:
        if finding["severity"] == "note":
            notes.add(finding["rule"])
        else:
            loud.add(f"{finding['rule']} {finding['severity']}")
    return loud, notes


def findings_until_end(process, report):
    """The same of all looks that the program lives to see."""
    begin, loud, notes = time.monotonic(), set(), set()
    while process.poll() is None and time.monotonic() < begin + MOST:
        more, quiet = findings_of(process.pid, report)
        if not any(one.startswith("FAILED") for one in more) or process.poll() is None:
            loud, notes = loud | more, notes | quiet
    return loud, notes


@contextlib.contextmanager
def started(program):
    """The process, and a directory; all that it started ends with the block."""
    for module in program.needs:
        need_module(system_python(), module)
    with tempfile.TemporaryDirectory(prefix="mpsan-attach-") as place:
        environment = {**os.environ, trial.MARK: place, "BUILD": str(BUILD), "MPSAN_LEFT": str(Path(place, "left")),
                       **program.environment}
        process = subprocess.Popen([str(word) for word in program.command], cwd=place, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, env=environment)
        try:
            yield process, place
        finally:
            remove_left(Path(place, "left"))
            trial.send(list(trial.owned_by(place, 0)), signal.SIGKILL)
            process.kill()
            process.wait()
            trial.sweep_up()


def examine(program):
    with started(program) as (process, place):
        if program.report:
            return Row(program, *findings_until_end(process, Path(place, "report.json")), "")
        come_to_rest(process, SETTLE + program.late)
        if process.poll() is not None:
            return Row(program, set(), set(), f"had ended ({process.returncode})")
        told, notes = findings_of(process.pid, Path(place, "report.json"))
        if process.poll() is not None and any(one.startswith("FAILED") for one in told):
            return Row(program, set(), set(), f"had ended ({process.returncode})")
        return Row(program, told, notes, "")


# Judging it

def verdict(row):
    rules = {told.split()[0] for told in row.told}
    if row.program.report:
        return "ended" if row.told <= rules_in(row.program.report.attach) else "FALSE"
    if not row.program.expects:
        return "FALSE" if row.told else "silent"
    return "same" if rules & row.program.expects else "other" if rules else "nothing"


def words_of(row):
    return ", ".join(sorted(row.told)) or "nothing"


def difference(row):
    """What is wrong; "": it is as expected."""
    expected = row.program.outside[0] if row.program.outside else None
    if row.program.report:
        return "" if verdict(row) == "ended" else f"README.md says: {row.program.report.attach}"
    if verdict(row) in ("same", "silent"):
        may = expected is None or words_of(row) in expected.split(" or ")
        return "" if may else "as with the library, but its header says that it is not"
    if expected is None:
        return "differs, and its header does not say so"
    return "" if words_of(row) in expected.split(" or ") else f"its header says: {expected}"


def line_of(row):
    report, outside = row.program.report, row.program.outside
    why = outside[1] if outside else report.missing if report else ""
    expects = report.library if report else ",".join(sorted(row.program.expects)) or "none"
    return f"{verdict(row):8} {row.program.name:58} {expects:28} {words_of(row):28} {why} {row.end}".rstrip()


def examine_all(programs, jobs):
    """{name: row}; those that differ are examined again, since a busy machine may be late."""
    rows = {}

    def one(program):
        try:
            rows[program.name] = examine(program)
        except Skip as skip:
            print(f"skipped  {program.name:58} {skip}", flush=True)
            return
        print(line_of(rows[program.name]), flush=True)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, programs))
    again = [row.program for row in rows.values() if difference(row)]
    if again:
        print(f"again: {len(again)}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(one, again))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-j", "--jobs", type=int, default=8)
    parser.add_argument("--table", type=Path, help="writes the table there, too")
    parser.add_argument("wanted", nargs="*", help="a part of a program's name")
    options = parser.parse_args()
    everything = [*of_headers(), *of_trial()]
    everything += of_reports({program.name for program in everything})
    rows = examine_all([program for program in everything
                        if not options.wanted or any(word in program.name for word in options.wanted)], options.jobs)
    lines = [f"{'':8} {'program':58} {'with the library':28} {'by attach':28} missing facts",
             *(line_of(rows[name]) for name in sorted(rows))]
    if options.table:
        options.table.write_text("\n".join(lines) + "\n")
    wrong = [f"{name}: {difference(row)}: {words_of(row)} {row.end}".rstrip() for name, row in sorted(rows.items())
             if difference(row)]
    counts = collections.Counter(map(verdict, rows.values()))
    print("", *wrong, ", ".join(f"{count} {word}" for word, count in sorted(counts.items())), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
