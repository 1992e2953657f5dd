# SPDX-License-Identifier: Apache-2.0
"""The version of this package: of the wheel that was installed, else of the sources that it lies in."""

import os
import re
from typing import Optional


def find() -> Optional[str]:
    """None if the package was copied from where it was installed."""
    sources = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../include/mpsan_version.h")
    if os.path.exists(sources):
        with open(sources) as file:
            return re.search(r'^#define MPSAN_VERSION "(.+)"$', file.read(), re.M)[1]
    from importlib import metadata

    try:
        return metadata.version("mpsan")
    except metadata.PackageNotFoundError:
        return None
