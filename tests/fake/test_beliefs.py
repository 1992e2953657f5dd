#!/usr/bin/env python3
"""The stand-in is as its README believes the real driver to be: the questions that `make check-gpu` puts to that one. A
belief that nobody asks about fails, too."""
# limit: 120

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import ROOT, fake_environment  # noqa: E402

environment = {**os.environ, **fake_environment(["cuda", "2"]), "MPSAN_GPU_FAKE": "1"}
sys.exit(subprocess.run([sys.executable, ROOT / "tests/gpu/beliefs.py"], env=environment).returncode)
