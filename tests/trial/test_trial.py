#!/usr/bin/env python3
"""The quick part of the trial: the programs of quick.txt, each held against its header; and the runner's own words."""
# cases

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import trial  # noqa: E402
from mpsantest import main  # noqa: E402

PROGRAMS = {program.name: program for program in trial.programs()}


def check_program(name):
    program = PROGRAMS[name]
    verdict = trial.judge(program, trial.run_program(program))
    assert not verdict.wrong, verdict


def check_lists():
    """quick.txt names programs that exist, and none that is told otherwise."""
    known, quick = {name for name, program in PROGRAMS.items() if program.watched}, set(trial.quick())
    assert quick <= set(PROGRAMS) - known, quick - set(PROGRAMS) | quick & known
    assert sum(not program.expects for program in PROGRAMS.values()) >= 60, "healthy programs are missing"


main({"lists": check_lists, **{name: functools.partial(check_program, name) for name in trial.quick()}})
