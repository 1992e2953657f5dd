#!/usr/bin/env python3
"""Builds on minimal releases of Debian and Ubuntu and runs a sample of the tests there, with the libc and the Python of each:
run.py [RELEASE]... Prints a table, and exits with 1 if anything fails. What each release said is in build/distros/RELEASE.log."""

import os
import re
import shutil
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "lib"), str(Path(__file__).resolve().parents[1] / "pythons")]

from chroot import KEPT, inside, new_root, on_mirror  # noqa: E402
from mpsantest import BUILD, ROOT  # noqa: E402
from pythons import known_failures  # noqa: E402

DEBIAN = {"bullseye": "Debian 11", "bookworm": "Debian 12", "trixie": "Debian 13", "sid": "Debian sid"}
UBUNTU = {"jammy": "Ubuntu 22.04", "noble": "Ubuntu 24.04", "resolute": "Ubuntu 26.04"}
NEEDED = ("debootstrap", "unshare")
HANG = """
#include <pthread.h>
int main(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	return pthread_mutex_lock(&lock);
}
"""
BUILT = """
tools/dev/bootstrap --build
make -j2
build/mpsan run -- true
cc -o hang hang.c -pthread
build/mpsan run --on-deadlock=kill -- ./hang && status=0 || status=$?
test $status = 66
build/mpsan doctor
apt-get install -q -y --no-install-recommends python3 libcmocka-dev
make -j2 tests
"""
# What depends on a libc or a Python: hooks and their versions, forks, waits, locks, lines of Python. One minute on two processors.
GROUPS = ("snippets", "unit", *(f"faults/test_{name}.py" for name in (
    "old_condition", "calls", "order", "vfork", "errno", "signals", "loader", "late", "children", "small_stacks")))
PROGRAMS = ("fork/*.c", "waits/*.c", "fork/*.py", "waits/*.py", "imports/*.py")
TESTED = """
echo "Python $(python3 -c 'import platform; print(platform.python_version())')"
echo "glibc $(getconf GNU_LIBC_VERSION | cut -d' ' -f2)"
LC_ALL=C.UTF-8 tests/run -j 8 {words} || :
"""
Result = namedtuple("Result", "glibc python passed failed skipped why", defaults=("",) * 6)


def sample(release):
    """The words for tests/run, without the programs that are known to differ on the Python of this release."""
    sources = sorted(path.relative_to(ROOT).as_posix() for pattern in PROGRAMS for path in ROOT.glob(f"tests/preload/{pattern}"))
    known = {source for name, source in known_failures() if name == release}
    return [*GROUPS, *(source for source in sources if source not in known)]


def result_of(said):
    versions = [re.search(rf"^{name} (\d\S*)$", said, re.M)[1] for name in ("glibc", "Python")]
    counts = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", said, re.M)
    return Result(*versions, *counts.groups()) if counts else Result(*versions, why="the tests did not end")


def build_and_test(root, release):
    shutil.copytree(ROOT, root / "src", symlinks=True, ignore=shutil.ignore_patterns("build", ".git", ".venv"))
    (root / "src/hang.c").write_text(HANG)
    said = inside(root, "cd /src\n" + BUILT)
    if "self-deadlock" not in said:
        return Result(why="the deadlock was not proved"), said
    tests = inside(root, "cd /src\n" + TESTED.format(words=" ".join(sample(release))))
    return result_of(tests), said + tests


def check(release):
    """(result, what was said) of a release."""
    with tempfile.TemporaryDirectory(dir=BUILD) as place:
        root = Path(place, release)
        try:
            new_root(root, release, ubuntu=release in UBUNTU)
            return build_and_test(root, release)
        except AssertionError as reason:  # the end of what a command said before it failed
            return Result(why="a command failed"), str(reason)


def lines_of(release, result, said):
    yield from re.findall(r"^.*: warning: .*", said, re.M)
    yield from re.findall(r"^(?:FAIL|SKIP) .*", said, re.M)
    if result.why:
        yield said[-3000:]


def row(release, result):
    name = {**DEBIAN, **UBUNTU}[release]
    if result.why:
        return f"{name:<14} {release:<10} {result.why}"
    return (f"{name:<14} {release:<10} glibc {result.glibc:<6} Python {result.python:<8} "
            f"{result.passed:>4} passed, {result.failed} failed, {result.skipped} skipped")


def run_all(releases):
    """(row, whether it is well) of each."""
    for release in releases:
        if not KEPT.joinpath(f"{release}.tar").exists() and not on_mirror(release, ubuntu=release in UBUNTU):
            yield row(release, Result(why="skipped: the mirror does not have it")), True
            continue
        print(f"== {release}", flush=True)
        result, said = check(release)
        KEPT.joinpath(f"{release}.log").write_text(said)
        print(*lines_of(release, result, said), row(release, result), sep="\n", flush=True)
        yield row(release, result), result.failed == "0"


def main():
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        print(f"run.py: skipped: needs {' '.join(missing) or 'root, for a chroot'}")
        return 77
    unknown = set(sys.argv[1:]) - {*DEBIAN, *UBUNTU}
    if unknown:
        sys.exit(f"run.py: no such release: {' '.join(unknown)}")
    KEPT.mkdir(parents=True, exist_ok=True)
    rows = list(run_all(sys.argv[1:] or [*DEBIAN, *UBUNTU]))
    print("", *(text for text, _ in rows), sep="\n")
    return 0 if all(well for _, well in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
