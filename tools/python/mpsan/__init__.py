# SPDX-License-Identifier: Apache-2.0
"""The multiprocessing sanitizer, seen from the program that it watches.

The program is started by ``mpsan run -- COMMAND`` (also ``python -m mpsan run``), its tests by ``pytest --mpsan``. A
program that uses this module runs without mpsan as well: then each call returns what says so (False, None, an empty list),
and the first that asks for something warns with NotLoadedWarning. name() only tells, and is silent.
"""

from typing import Any, List, Optional

from . import ipc
from ._findings import Finding
from ._library import NotLoadedWarning

__all__ = ["Finding", "NotLoadedWarning", "active", "findings", "ipc", "name", "session"]
__version__: str


def __getattr__(attribute: str) -> str:
    if attribute == "__version__":
        from ._version import find

        found = find()
        if found:
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")


def active() -> bool:
    """Whether the library is loaded into this process and records."""
    from . import _library

    return _library.find() is not None


def session() -> Optional[str]:
    """The directory that this process records to, for `mpsan ps DIR`, `mpsan dump DIR`; None if it records nothing."""
    from . import _library

    return _library.session() if _library.loaded("mpsan.session()") else None


def name(lock: Any, text: str) -> bool:
    """Calls `lock` `text` in reports, in place of the variable that has it; suppressions match the name, too.

    `lock` is one of threading, multiprocessing or queue (a Lock, RLock, Condition, Semaphore, Event, Queue: the lock
    inside is named), an address as a number, a ctypes object, or any other object, which stands for its id(). Forked
    children know the name; a spawned one names the lock again. False if nothing is recorded.
    """
    from . import _library, _locks

    if not isinstance(text, str):
        raise TypeError(f"the name of a lock is a str, not {type(text).__name__}")
    library = _library.find()
    if library is None:
        return False
    _locks.name(library, lock, text)
    return True


def findings(at_least: str = "warning") -> List[Finding]:
    """What is found in this session so far: `assert not mpsan.findings()` at the end of a test.

    `at_least` is the mildest severity to return: note, warning or error. The settings of a .mpsan.conf hold. A program in
    which nothing is recorded has no findings.
    """
    from . import _findings, _library

    _findings.check_severity(at_least)
    place = _library.session() if _library.loaded("mpsan.findings()") else None
    return _findings.judge(place, at_least) if place else []
