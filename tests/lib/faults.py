"""What the tests of faults, structure and suites share: preloading without the command, building helpers on the
spot, and holding a watched run against a bare one."""

import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from mpsantest import BUILD, LIBRARY, ROOT, Skip, dump, run_bare

FULL = os.environ.get("MPSAN_FULL") == "1"
SOURCES = ROOT / "tests/faults/lib"
COMPILER = os.environ.get("CC", "cc")
GLIBC = tuple(int(part) for part in os.confstr("CS_GNU_LIBC_VERSION").split()[-1].split("."))
# What glibc has in itself from 2.34 on, and a stand-in for functions that it got by 2.36 (see the Makefile).
OLDER = BUILD / "tests/preload/lib/older.so"
BEFORE = ("-include", str(ROOT / "shim/abi/glibc.h")) if GLIBC < (2, 36) else ()
BEHIND = ("-Wl,--as-needed", "-ldl", "-lrt", "-lutil", str(OLDER)) if GLIBC < (2, 36) else ()


def rounds(few, full):
    """How often: few times each day, the full count when MPSAN_FULL=1."""
    return full if FULL else few


def program(name):
    path = BUILD / "tests/faults" / name
    assert path.exists(), f"{path} is missing: run make check"
    return path


def scratch(name):
    return Path(tempfile.mkdtemp()) / name


def let_others_in(place):
    """Lets every user through to this directory. What they can pass already, /tmp for one, stays as it is."""
    for directory in (place, *place.parents):
        mode = directory.stat().st_mode
        if not mode & 0o001:
            directory.chmod(mode | 0o055)


def need(*names):
    """Paths of these commands; the case is skipped where one is missing."""
    paths = [shutil.which(name) for name in names]
    if None in paths:
        raise Skip(f"no {names[paths.index(None)]} here")
    return paths[0] if len(paths) == 1 else paths


def need_x86_64(what):
    """What is written for that processor."""
    if platform.machine() != "x86_64":
        raise Skip(f"{what} x86-64's")


def need_file(*places):
    """The first of these files that exists."""
    for place in places:
        if Path(place).exists():
            return place
    raise Skip(f"no {Path(places[0]).name} here")


def build(source, output, *flags, compiler=COMPILER):
    """Compiles C text or a file of tests/faults/lib; skipped where the compiler cannot do it at all."""
    source = Path(source) if str(source).endswith(".c") else write_source(source)
    alone = any(str(flag).startswith(("-static", "-nostdlib")) for flag in flags)
    before, behind = ((), ()) if alone else (BEFORE, BEHIND)
    made = subprocess.run([compiler, "-g", "-O1", "-D_GNU_SOURCE", *before, "-I", str(ROOT), "-o", str(output), str(source),
                           *flags, *behind], stderr=subprocess.PIPE, text=True)
    assert made.returncode == 0, f"{compiler} {source}:\n{made.stderr}"
    return output


def write_source(text):
    path = scratch("source.c")
    path.write_text(text)
    return path


def can_build(*flags, compiler=COMPILER):
    # Not into /dev/null: a link that fails removes its output, and root may remove that.
    if not shutil.which(compiler):
        return False
    probe = subprocess.run([compiler, *flags, "-o", str(scratch("probe")), "-x", "c", "-"], text=True,
                           input="int main(void) { return 0; }", stderr=subprocess.DEVNULL)
    return probe.returncode == 0


def library(name, *flags):
    """A shared library from tests/faults/lib/NAME.c."""
    return build(SOURCES / f"{name}.c", scratch(f"lib{name}.so"), "-shared", "-fPIC", *flags)


def preload(*libraries, session=None, **more):
    """The environment that loads these libraries; ours alone when none is named."""
    chain = ":".join(str(each) for each in libraries or (LIBRARY,))
    place = {"MPSAN_DIR": str(session)} if session else {}
    return {"LD_PRELOAD": chain, **place, **more}


def with_session(command, libraries=(), timeout=60, **more):
    """Runs a command preloaded in a session of its own: (run, events)."""
    session = scratch("session")
    run = run_bare(command, timeout, preload(*libraries, session=session, **more))
    assert session.exists(), f"no session: the library was not at work\n{run.err}"
    return run, dump(session)


def same(bare, watched, what=""):
    assert (bare.exit, bare.out) == (watched.exit, watched.out), \
        f"{what}: bare {bare.exit} {bare.out!r}\nwatched {watched.exit} {watched.out!r}\n{watched.err}"


def as_bare(command, libraries=(), timeout=60, **more):
    """A command must end under the library as it does alone; returns its events."""
    bare = run_bare(command, timeout, more)
    watched, events = with_session(command, libraries, timeout, **more)
    same(bare, watched, command)
    return events


def named(events, name):
    return [event for event in events if event["event"] == name]
