#!/usr/bin/env python3
"""The tests of faults with their full counts: MPSAN_FULL=1."""
# limit: 7200

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]

sys.exit(subprocess.run([TESTS / "run", "-j", "1", "faults"], env={**os.environ, "MPSAN_FULL": "1", "MPSAN_SLOW": "3", "TMPDIR": "/tmp"}).returncode)
