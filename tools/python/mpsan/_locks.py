# SPDX-License-Identifier: Apache-2.0
"""Where in memory a Python lock is, as the library sees it: the semaphore or the byte that threads wait for."""

import _thread
import ctypes
import sys
import weakref
from typing import Any, Dict, Tuple

_INSIDE = ("_semlock", "_lock", "_cond", "_block", "mutex")  # attributes by which others hold their lock
_HEADER = object.__basicsize__
_named: Dict[int, Any] = {}  # by address: weak references, whose end takes the name back


def name(library: Any, lock: Any, text: str) -> None:
    at, owner = _address(lock)
    # Quotes are for names that Python gives.
    library.mpsan_lock_name(ctypes.c_void_p(at), text.replace('"', "'").replace("\0", "").encode("utf-8", "replace"))
    _named.pop(at, None)
    try:
        _named[at] = weakref.ref(owner, lambda reference: _forget(library, at, reference))
    except TypeError:  # it stays named until the memory is named again
        pass


def _forget(library: Any, at: int, reference: Any) -> None:
    """The next lock at this address is another one."""
    if _named.get(at) is reference:
        del _named[at]
        library.mpsan_lock_name(ctypes.c_void_p(at), b"")


def _address(lock: Any) -> Tuple[int, Any]:
    """That of the lock in an object, and the object that ends with it."""
    if isinstance(lock, int):
        return lock, lock
    if isinstance(lock, (ctypes._SimpleCData, ctypes.Structure, ctypes.Union, ctypes.Array)):
        return ctypes.addressof(lock), lock
    if isinstance(lock, _thread.LockType):
        return _behind(lock, sys.version_info >= (3, 13, 1)), lock
    if isinstance(lock, _thread.RLock):
        return _behind(lock, sys.version_info >= (3, 14)), lock
    if type(lock).__name__ == "SemLock" and isinstance(getattr(lock, "handle", None), int):
        return lock.handle, lock
    for attribute in _INSIDE:
        inner = getattr(lock, attribute, None)
        if inner is not None:
            return _address(inner)
    return id(lock), lock


def _behind(lock: Any, inside: bool) -> int:
    """The first field of the object: the lock itself, or a pointer to it."""
    at = id(lock) + _HEADER
    return at if inside else ctypes.c_void_p.from_address(at).value or at
