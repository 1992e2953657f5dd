#!/usr/bin/env python3
"""Programs whose threads have the smallest stacks that there are run as they do alone."""
# cases

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import program, same, with_session  # noqa: E402
from mpsantest import main, run_bare, system_python  # noqa: E402


def check(command):
    for _ in range(3):
        bare = run_bare(command)
        assert bare.exit == 0 and bare.out, bare
        same(bare, with_session(command)[0])


main({"threads": lambda: check([program("small_stacks")]),
      "python": lambda: check([system_python(), Path(__file__).with_name("small_stacks.py")])})
