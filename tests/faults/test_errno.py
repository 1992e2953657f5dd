#!/usr/bin/env python3
"""No hook changes errno or a result: every function of hooks.def that returns, where it succeeds and where it fails."""
# cases

import os
import platform
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import let_others_in, preload, program, scratch  # noqa: E402
from mpsantest import LIBRARY, ROOT, Skip, main, run_bare  # noqa: E402

PROGRAMS = ("errnos", "errnos_libc", "errnos_shared", "errnos_streams")
NOT_CALLED = {"pthread_atfork"} if platform.machine() != "x86_64" else set()  # newer ports have it for the linker alone
NEVER_RETURN = {"exit", "_exit", "_Exit", "quick_exit", "pthread_exit", "thrd_exit", "abort", "__assert_fail"}


def lines(run):
    return sorted(run.out.splitlines())  # a daemon writes when it likes


def compare(command, env):
    bare, watched = run_bare(command), run_bare(command, env=env)
    if bare.exit != 0:
        raise Skip(f"bare, the calls do not end as they must: {bare.out.splitlines()[-1:]}")
    assert (watched.exit, lines(watched)) == (0, lines(bare)), \
        f"{watched.exit} {watched.err}\n" + "\n".join(sorted(set(lines(watched)) ^ set(lines(bare))))
    return bare


def check_logged():
    runs = [compare([program(name)], preload(session=scratch("session"))) for name in PROGRAMS]
    called = {line.split()[0] for run in runs for line in run.out.splitlines()}
    rows = set(re.findall(r"^HOOK\(\w+, (\w+),", (ROOT / "shim/hooks.def").read_text(), re.M))
    wanted = rows - NEVER_RETURN - NOT_CALLED
    assert called >= wanted, f"not called: {sorted(wanted - called)}"


def check_without_log():
    """Where no log can be made, the same holds."""
    for name in PROGRAMS:
        compare([program(name)], preload(session="/nothing/of/that/name"))


def check_without_processes():
    """Forks that fail, for a user who may have no more processes; root's never do."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        raise Skip("needs root and setpriv")
    place = scratch("all")
    place.mkdir()
    for path in (LIBRARY, program("errnos")):
        shutil.copy(path, place)
    let_others_in(place)
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", place / "errnos", "limit"]
    bare = compare(user, {"LD_PRELOAD": str(place / LIBRARY.name), "MPSAN_DIR": "", "TMPDIR": "/tmp"})
    assert "fork -1 11" in bare.out, bare.out


main({"logged": check_logged, "without_log": check_without_log, "without_processes": check_without_processes})
