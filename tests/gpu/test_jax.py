#!/usr/bin/env python3
"""JAX: a forked child that computes is told, whatever becomes of it; a spawned one is silent."""
# cases
# limit: 180

from pathlib import Path

from gpu import environment, need_module_on_device, python_that_says
from mpsantest import Skip, check_program, main, run_mpsan, show, verdicts

PROGRAMS = Path(__file__).with_name("jax_programs")
REFUSED = {"cuda-in-forked-child error"}
STUCK = {"fork-orphaned-lock error", "hang warning", "hang error"}


def jax_python():
    need_module_on_device("jax")
    python = python_that_says("import jax; print(jax.default_backend())", "gpu")
    if not python:
        raise Skip("no Python here has a JAX that finds the device")
    return python


def check_forked():
    run = run_mpsan([jax_python(), PROGRAMS / "forked.py"], ["--hang-after", "5"], 150, environment())
    assert verdicts(run.report) & (REFUSED | STUCK), show(run.report)


def check_spawned():
    source = PROGRAMS / "spawned.py"
    check_program([jax_python(), source], source, timeout=150, env=environment(), stand_in=False)


main({"forked": check_forked, "spawned": check_spawned})
