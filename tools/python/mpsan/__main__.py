# SPDX-License-Identifier: Apache-2.0
"""python -m mpsan: the command, in place of this process."""

import os
import sys

from . import _command

command = _command.find()
if not command:
    sys.exit(f"mpsan: {_command.MISSING}")
os.execv(command, ["mpsan", *sys.argv[1:]])
