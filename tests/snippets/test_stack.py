#!/usr/bin/env python3
"""No hook takes 2 KiB of its caller's stack: each row of hooks.def is called once on painted memory, bare and watched, in a
process that has not called anything before, so that what happens only at first use is part of it."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import scratch  # noqa: E402
from mpsantest import BUILD, LIBRARY, full_environment  # noqa: E402

LIMIT = 2048 if os.uname().machine == "x86_64" else 2304  # aarch64 saves more registers


def used(**more):
    # What the loader takes for lazy binding would hide what comes after it.
    env = full_environment({"SNIPPETS_STACK": "1", "LD_BIND_NOW": "1", **more})
    run = subprocess.run([BUILD / "tests/snippets/snippets"], env=env, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    assert run.returncode == 0, run
    return {name: int(size) for name, size in (line.split() for line in run.stdout.splitlines())}


session = scratch("session")
bare, watched = used(), used(LD_PRELOAD=str(LIBRARY), MPSAN_DIR=str(session))
assert (session / "session").exists() and bare.keys() == watched.keys() and len(bare) > 600, (len(bare), len(watched))
most = sorted(((watched[name] - bare[name], name) for name in bare), reverse=True)
print("\n".join(f"{more} bytes more for {name}" for more, name in most[:5]))
assert most[0][0] > 500, "nothing was measured"
assert most[0][0] < LIMIT, most[:10]
