#!/usr/bin/env python3
"""On other releases of Debian a lock of Python's is told with its holder and the line that took it, and healthy programs are
silent: a sample of what run.py runs."""
# cases
# limit: 240

import concurrent.futures
import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, ROOT, Skip, main, run_bare  # noqa: E402
from newer import make_newer  # noqa: E402
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


def check_interpreters():
    """Threads of another interpreter say which, where one has a name for it."""
    if "sid" not in releases():
        raise Skip("needs root and tools/dev/bootstrap --pythons")
    command = ["build/mpsan", "run", "--on-deadlock=kill", "--", "python3", "tests/pythons/interpreters.py"]
    run = run_bare(inside(releases()["sid"], command), env={"TMPDIR": "/tmp"})
    assert run.exit == 66, run.err
    for words in ('thread "worker (interpreter 1)" (TID ', 'thread "one (interpreter 1)" (TID ', 'Lock "first" (<script>, global)'):
        assert words in run.err, f"{words}\n{run.err}"


def run_newer(name, moved):
    if "trixie" not in releases():
        raise Skip("needs root and tools/dev/bootstrap --pythons")
    program = make_newer(releases()["trixie"] / "usr/bin/python3.13", BUILD / f"tests/pythons/{name}/python3.99", 99, moved)
    command = ["env", "PYTHONHOME=/usr", "build/mpsan", "run", "--on-deadlock=kill", "--", program.relative_to(ROOT), SAMPLE[0]]
    return run_bare(inside(releases()["trixie"], command), env={"TMPDIR": "/tmp"})


def check_newer():
    """A version that nobody has seen is read by its own table of offsets."""
    run = run_newer("newer", moved=False)
    assert run.exit == 66, run.err
    for words in (*HOLDER, 'Lock "cache_lock" (hazard.py, global)'):
        assert words in run.err, f"{words}\n{run.err}"


def check_moved():
    """If its table is not as any that is known, its frames are not read, which is said."""
    run = run_newer("moved", moved=True)
    assert "this version of Python is not known" in run.err, run.err
    assert "refresh" not in run.err, run.err


# cases of lock_names.py: the name of the lock, and the function that took it
GLOBAL = 'Lock "cache_lock" (lock_names.py, global)'
NAMES = {
    "by_global": (GLOBAL, "by_global"),
    "by_call": (GLOBAL, "by_call"),
    "by_generator": (GLOBAL, "rows"),
    "by_context_manager": (GLOBAL, "transaction"),
    "by_exit_stack": (GLOBAL, "by_exit_stack"),
    "by_guard": ('Lock "self.inner" of Guard', "by_guard"),
    "by_item": ("Lock \"locks['users']\" (lock_names.py, global)", "by_item"),
    "by_shard": ("Lock \"shards[2].part['lock']\" (lock_names.py, global)", "by_shard"),
    "by_path": ("Lock \"self.tables['users']['rows'].part.part\" of Cache", "Cache.by_path"),
    "by_cached": ("Lock \"lock_of('users', 7)\" (lock_names.py, global)", "by_cached"),
    "by_context_variable": ('Lock "current.get()" (lock_names.py, global)', "by_context_variable"),
    "by_named_tuple": ('Lock "pair.lock" of Pair', "by_named_tuple"),
    "by_queue": ('Queue "tasks" (lock_names.py, global)', "by_queue"),
    "by_attribute": ('Lock "self._lock" of Cache', "Cache.by_attribute"),
    "by_slot": ('Lock "self._lock" of Slots', "Slots.by_slot"),
    "by_slot_call": ('Lock "self._lock" of Slots', "Slots.by_slot_call"),
    "by_class": ('Lock "Cache.shared" (class attribute)', "Cache.by_class"),
    "by_part": ("Lock \"Cache.parts['a']\" (class attribute)", "Cache.by_part"),
    "by_condition": ('Condition "self.ready" of Cache', "Cache.by_condition"),
    "by_rlock": ('RLock "self.twice" of Cache', "Cache.by_rlock"),
    "by_acquire": ('Lock "self._lock" of Cache', "Cache.by_acquire"),
    "by_logging": ('RLock "self.lock" of Slow <stderr>', None),
    "by_cell": ('Lock "lock" (lock_names.py, local of locked.<locals>.call)', "locked.<locals>.call"),
    "by_semaphore": ('Semaphore "permits" (lock_names.py, global)', None),
    "by_extension": ("mutex 0x", None),
}


def check_name(release, case):
    name, taken = NAMES[case]
    command = ["build/mpsan", "run", "--on-deadlock=kill", "--verbose", "--", "/usr/bin/python3", "tests/pythons/lock_names.py", case]
    run = run_bare(inside(releases()[release], command) if release else command, env={"TMPDIR": "/tmp"})
    messages = [line for line in run.err.splitlines() if line.startswith("  in full: ")]
    assert run.exit == 66 and messages, f"{case}: {run.err}"
    assert name in messages[0], f"{case}: {messages[0]}"
    assert case == "by_semaphore" or 'thread "taker" (TID ' in messages[0], f"{case}: {messages[0]}"
    assert not taken or f"taken at {taken} (lock_names.py:" in messages[0], f"{case}: {messages[0]}"


def check_names(release):
    """In the message of its finding the name of each lock, the thread that held it, and where it took it."""
    if release and release not in releases():
        raise Skip("needs root and tools/dev/bootstrap --pythons")
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(functools.partial(check_name, release), NAMES))


main({"sid-interpreters": check_interpreters, "newer": check_newer, "newer-moved": check_moved,
      **{release: functools.partial(check, release) for release in RELEASES},
      **{f"{release or 'here'}-names": functools.partial(check_names, release) for release in (None, *RELEASES)},
      **{f"{release}-holder": functools.partial(check_holder, release) for release in RELEASES}})
