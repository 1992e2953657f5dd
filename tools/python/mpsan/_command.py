# SPDX-License-Identifier: Apache-2.0
"""The command that belongs to this package."""

import os
import shutil
from typing import Optional

MISSING = "the command mpsan is neither beside this Python package nor on PATH; install the wheel with pip, not in an archive"


def find() -> Optional[str]:
    """Its path: $MPSAN, where an installer put it, or on PATH."""
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    beside = (os.path.join(packages, "../../..", "bin/mpsan"),  # lib/python3.x/site-packages
              os.path.join(packages, "bin/mpsan"))  # pip install --target
    for path in (os.environ.get("MPSAN"), *beside):
        if path and os.access(path, os.X_OK) and os.path.isfile(path):
            return os.path.abspath(path)
    return shutil.which("mpsan")
