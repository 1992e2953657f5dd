#!/usr/bin/env python3
"""The programs in torch_programs/: torch.multiprocessing with tensors on the device. What is as the documentation says
is silent; what breaks a lifetime is named. Some do without torch. And those of tests/torch/programs/ that torch refuses the device, beside healthy ones."""
# cases
# limit: 180

import functools

from gpu import environment, need_module_on_device, need_torch
from pathlib import Path
from mpsantest import ROOT, Expectation, check_program, main


def check(source):
    modules = Expectation(source).needs
    check_program([need_module_on_device(modules[0]) if modules else need_torch(), source], source, timeout=150, env=environment(), stand_in=False)


main({source.name: functools.partial(check, source)
      for source in sorted([*Path(__file__).with_name("torch_programs").glob("*.py"),
                            *(ROOT / "tests/torch/programs").glob("*cuda*.py")])})
