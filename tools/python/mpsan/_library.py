# SPDX-License-Identifier: Apache-2.0
"""The library in this process, by the C interface of mpsan.h."""

import ctypes
import errno
import os
import warnings
from typing import Any, Optional

_process = ctypes.CDLL(None)  # the program with all that was loaded into it
_warned = False


class NotLoadedWarning(RuntimeWarning):
    """The program asks something of mpsan, and was not started under it. Given once in a process."""


def find() -> Optional[Any]:
    """What has the calls, if they record."""
    try:
        answer = _process.mpsan_ipc_find(0, None, None)
    except AttributeError:
        return None
    return None if answer == -errno.ENOSYS else _process


def loaded(call: str) -> Optional[Any]:
    """The same, and a warning if there is nothing."""
    global _warned
    library = find()
    if library is None and not _warned:
        _warned = True
        warnings.warn(f"{call} does nothing: libmpsan.so is not loaded here; start the program with `mpsan run -- COMMAND`",
                      NotLoadedWarning, stacklevel=3)
    return library


def session() -> Optional[str]:
    """The directory of the session file, which stays mapped."""
    with open("/proc/self/maps", errors="surrogateescape") as maps:
        for line in maps:
            path = line.rstrip("\n").split(maxsplit=5)[5:]
            if path and path[0].endswith("/session") and _is_session(path[0]):
                return os.path.dirname(path[0])
    return None


def _is_session(path: str) -> bool:
    """The magic number says so, as in include/mpsan_log.h."""
    try:
        with open(path, "rb") as file:
            return file.read(8) == b"MSPNSSES"
    except OSError:
        return False
