#!/usr/bin/env python3
"""JAX: a forked child that computes is told, whatever becomes of it; a spawned one is silent."""
# cases
# limit: 180

from pathlib import Path

from gpu import FAKE, devices, environment, said_by, torch_python
from mpsantest import Skip, check_program, main, run_mpsan, show, system_python, verdicts

PROGRAMS = Path(__file__).with_name("jax_programs")
REFUSED = {"cuda-in-forked-child error"}
STUCK = {"fork-orphaned-lock error", "hang warning", "hang error"}


def jax_python():
    for python in () if FAKE or not devices(1) else filter(None, (torch_python(), system_python())):
        if "gpu" in said_by(python, "import jax; print(jax.default_backend())"):
            return python
    raise Skip("needs JAX with CUDA, and a device for it")


def check_forked():
    run = run_mpsan([jax_python(), PROGRAMS / "forked.py"], ["--hang-after", "5"], 150, environment())
    assert verdicts(run.report) & (REFUSED | STUCK), show(run.report)


def check_spawned():
    source = PROGRAMS / "spawned.py"
    check_program([jax_python(), source], source, timeout=150, env=environment(), stand_in=False)


main({"forked": check_forked, "spawned": check_spawned})
