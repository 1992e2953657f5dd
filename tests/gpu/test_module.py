#!/usr/bin/env python3
"""mpsan.ipc between two processes, on the real driver."""

import sys

from gpu import environment, need_devices
from mpsantest import MPSAN, ROOT, SKIPPED, Skip, run_mpsan, system_python

try:
    need_devices()
except Skip as reason:
    print(reason)
    sys.exit(SKIPPED)
env = environment()
env["PYTHONPATH"] += f":{ROOT / 'tools/python'}"
run = run_mpsan([system_python(), ROOT / "tests/module/ipc_pair.py"], env={**env, "MPSAN": str(MPSAN)})
assert run.exit == 0, run
assert run.out.startswith("FileNotFoundError TypeError\n"), run
