#!/usr/bin/env python3
"""A program that goes round and round grows under the library as it does bare, in anonymous memory and in descriptors, and
its logs stay within their limit: for 3 seconds, or MPSAN_SOAK=SECONDS (make soak)."""
# cases
# limit: 100000

import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import preload, program, run_bare, scratch  # noqa: E402
from mpsantest import MPSAN, main  # noqa: E402

SECONDS = float(os.environ.get("MPSAN_SOAK", 3))
KIB = 1024  # by which it may grow more than bare
LOG_MAX = 64 << 20


def soak(seconds, env=None):
    run = run_bare([program("soak"), seconds], seconds + 60, env)
    assert run.exit == 0 and not run.err, run
    return map(int, re.fullmatch(r"(-?\d+) KiB, (-?\d+) descriptors, (\d+) rounds\n", run.out).groups())


def check():
    session = scratch("session")
    bare_kib, bare_open, _ = soak(min(SECONDS, 60))
    kib, open_, rounds = soak(SECONDS, preload(session=session))
    sizes = [file.stat().st_size for file in session.iterdir() if file.suffix == ".log"]
    print(f"{rounds} rounds in {SECONDS:g} s: {kib} KiB more, bare {bare_kib}; {open_} descriptors more, bare {bare_open}; "
          f"{len(sizes)} logs, {sum(sizes) >> 20} MiB, session {(session / 'session').stat().st_size >> 10} KiB")
    assert kib - bare_kib < KIB and open_ == bare_open, (kib, bare_kib, open_, bare_open)
    assert sizes and max(sizes) <= LOG_MAX, sizes
    assert run_bare([MPSAN, "report", session], 300).exit == 0


main({"soak": check})
