#!/usr/bin/env python3
"""Everything that tests/fake believes of the driver, asked of the real one. A belief that is refuted fails, and the
table shows it: correct tests/fake, and its README."""
# limit: 300

import os
import subprocess
import sys
from pathlib import Path

from gpu import environment, need_devices
from mpsantest import SKIPPED, Skip

try:
    need_devices()
except Skip as reason:
    print(reason)
    sys.exit(SKIPPED)
sys.exit(subprocess.run([sys.executable, Path(__file__).with_name("beliefs.py")],
                        env={**os.environ, **environment("2")}).returncode)
