#!/usr/bin/env python3
"""Starts programs bare, examines each with `mpsan attach`, and prints a table: table.py [-j N] [--table FILE] [WORD]...

The programs are those of tests/preload that hang for ever, those of the trial that hang, and the healthy ones of both. What
is told with the library is in their headers; the table says what is told without it. Exits with 1 if a healthy program is
told an error or a warning.
"""

import argparse
import concurrent.futures
import json
import os
import shlex
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
from mpsantest import BUILD, MPSAN, Expectation, Skip, need_module, states_expectation, system_python  # noqa: E402

SETTLE = 3  # seconds after which a program is examined
Program = namedtuple("Program", "name command expects needs late")
Row = namedtuple("Row", "program rules missing end")


def of_preload():
    for path in sorted((ROOT / "tests/preload").glob("*/*.*")):
        if path.suffix not in (".py", ".c") or not states_expectation(path):
            continue
        expectation = Expectation(path)
        if expectation.fake or expectation.options or (expectation.required and not expectation.hangs):
            continue
        name = path.relative_to(ROOT / "tests").as_posix()
        command = [system_python(), path] if path.suffix == ".py" else [BUILD / "tests" / Path(name).with_suffix("")]
        yield Program(name, command, {verdict.split()[0] for verdict in expectation.required}, expectation.needs, 0)


def of_trial():
    for program in trial.programs():
        if program.name.startswith("dresses/") or program.stop:
            continue
        expects = {verdict.split()[0] for choice in program.expects for verdict in choice}
        yield Program(f"trial/{program.name}", program.command, expects, program.needs, (program.within or 0) * 0.7)


def examine(program):
    """The findings of the first look that has one, else of the last, while the program runs."""
    for module in program.needs:
        need_module(system_python(), module)
    with tempfile.TemporaryDirectory(prefix="mpsan-attach-") as place:
        report = Path(place, "report.json")
        environment = {**os.environ, trial.MARK: place}
        process = subprocess.Popen([str(word) for word in program.command], cwd=place, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, env=environment)
        try:
            time.sleep(SETTLE + program.late)
            if process.poll() is not None:
                return Row(program, set(), "", f"had ended ({process.returncode})")
            run = subprocess.run([MPSAN, "attach", "--no-conf", "--report", f"json={report}", str(process.pid)],
                                 capture_output=True, text=True, timeout=60)
            if run.returncode not in (0, 66):
                return Row(program, {"FAILED"}, "", run.stderr.strip()[-200:])
            read = json.loads(report.read_text())
        finally:
            trial.send(list(trial.owned_by(place, 0)), signal.SIGKILL)
            process.kill()
            process.wait()
            trial.sweep_up()
        loud = {f"{finding['rule']} {finding['severity']}" for finding in read["findings"] if finding["severity"] != "note"}
        notes = {finding["rule"] for finding in read["findings"] if finding["severity"] == "note"}
        return Row(program, loud, "", "notes: " + ", ".join(sorted(notes)) if notes else "")


def verdict(row):
    told = {rule.split()[0] for rule in row.rules}
    if not row.program.expects:
        return "silent" if not row.rules else "FALSE"
    return "same" if told & row.program.expects else "other" if told else "nothing"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-j", "--jobs", type=int, default=4)
    parser.add_argument("--table", type=Path)
    parser.add_argument("wanted", nargs="*", help="a part of a program's name")
    options = parser.parse_args()
    programs = [program for program in (*of_preload(), *of_trial())
                if not options.wanted or any(word in program.name for word in options.wanted)]
    rows = []

    def one(program):
        try:
            row = examine(program)
        except Skip:
            return
        rows.append(row)
        print(f"{verdict(row):8} {program.name:60} {','.join(sorted(program.expects)) or 'none':28} {','.join(sorted(row.rules)) or 'none'} {row.end}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, programs))
    counts = {}
    for row in rows:
        counts[verdict(row)] = counts.get(verdict(row), 0) + 1
    print(counts)
    return 1 if counts.get("FALSE") else 0


if __name__ == "__main__":
    sys.exit(main())
