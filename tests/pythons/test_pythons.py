#!/usr/bin/env python3
"""On other releases of Debian a lock of Python's is told with its holder and the line that took it, and healthy programs are
silent: a sample of what run.py runs."""
# cases
# limit: 240

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import Skip, main, run_bare  # noqa: E402
from pythons import RELEASES, inside, judge, known_failures, pythons, releases  # noqa: E402

SAMPLE = ("examples/lock-over-start/hazard.py", "examples/print-from-thread/hazard.py", "tests/preload/python/silent-gil.py",
          "tests/preload/python/silent-asyncio.py")
HOLDER = '"refresher" (TID ', "held it, taken at refresh (hazard.py:20)", "forked at main (hazard.py:36)", "look_up (hazard.py:27)"


def check(release):
    if release not in releases():
        raise Skip("needs root and tools/dev/bootstrap --pythons")
    wrong = [f"{source}: {why}" for source, word, why in judge(pythons()[release], SAMPLE)
             if word == "FAIL" and (release, source) not in known_failures()]
    assert not wrong, "\n".join(wrong)


def check_holder(release):
    if release not in releases():
        raise Skip("needs root and tools/dev/bootstrap --pythons")
    run = run_bare(inside(releases()[release], ["build/mpsan", "run", "--on-deadlock=kill", "--", "python3", SAMPLE[0]]), env={"TMPDIR": "/tmp"})
    assert run.exit == 66, run.err
    for words in HOLDER:
        assert words in run.err, f"{words}\n{run.err}"


# cases of lock_names.py
NAMES = {
    "by_global": 'Lock "cache_lock" (lock_names.py, global)',
    "by_item": "Lock \"locks['users']\" (lock_names.py, global)",
    "by_queue": 'Queue "tasks" (lock_names.py, global)',
    "by_attribute": 'Lock "self._lock" of Cache',
    "by_condition": 'Condition "self.ready" of Cache',
    "by_rlock": 'RLock "self.twice" of Cache',
    "by_acquire": 'Lock "self._lock" of Cache',
    "by_logging": 'RLock "self.lock" of Slow',
    "by_cell": 'Lock "lock" (lock_names.py, local of locked.<locals>.call)',
    "by_extension": "mutex 0x",
}


def check_names(release):
    """The name of each lock in the message of its finding, and the thread that held it."""
    if release and release not in releases():
        raise Skip("needs root and tools/dev/bootstrap --pythons")
    for case, name in NAMES.items():
        command = ["build/mpsan", "run", "--on-deadlock=kill", "--", "/usr/bin/python3", "tests/pythons/lock_names.py", case]
        run = run_bare(inside(releases()[release], command) if release else command, env={"TMPDIR": "/tmp"})
        messages = [line for line in run.err.splitlines() if " error: " in line]
        assert run.exit == 66 and messages, run.err
        assert name in messages[0] and 'thread "taker" (TID ' in messages[0], f"{case}: {messages[0]}"


main({**{release: functools.partial(check, release) for release in RELEASES},
      **{f"{release or 'here'}-names": functools.partial(check_names, release) for release in (None, *RELEASES)},
      **{f"{release}-holder": functools.partial(check_holder, release) for release in RELEASES}})
