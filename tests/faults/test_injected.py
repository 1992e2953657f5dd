#!/usr/bin/env python3
"""Each system call that the library makes from a process's start to its end, in forks too, fails once with each errno that
its manual page names, and some more, made to by strace: what the program prints and its status are as bare, and one line at
most is said for a process."""
# cases
# limit: 3600

import errno
import functools
import gzip
import os
import random
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import FULL, need, preload, program, run_bare, same, scratch  # noqa: E402
from mpsantest import LIBRARY, SLOW, Skip, main  # noqa: E402

ERRNOS = {"ENOMEM", "ENOSPC", "EMFILE", "EACCES", "EINTR", "EIO", "ENOSYS"}  # for calls without a page, too
PAGES = Path("/usr/share/man")
SECONDS = 4 * SLOW  # for a case, unless MPSAN_FULL=1
CALL = re.compile(r"(\d+) +\[([0-9a-f]+)\] (\w+)\((.*)")
SIZE = re.compile(r"NULL, (\d+), ")
RESULT = re.compile(r"(\d+) .*\) = (0x[0-9a-f]+)$")


class Calls:
    """What strace wrote: (pid, name, whether the library made the call, the rest of the line) of each call."""

    def __init__(self, file):
        self.ranges, self.opened, self.mapped, self.all = [], set(), {}, []
        for line in file.read_text(errors="replace").splitlines():
            match = CALL.match(line)
            if match:
                pid, place, name, rest = match.groups()
                self.all.append((pid, name, self.ours(int(place, 16)), rest))
                self.watch_loader(pid, name, rest)
            self.end_of_map(line)

    def ours(self, place):
        return any(start <= place < end for start, end in self.ranges)

    def watch_loader(self, pid, name, rest):
        """The loader maps the whole of a library right after it has opened it."""
        if name == "openat" and f'/{LIBRARY.name}"' in rest:
            self.opened.add(pid)
        elif name == "mmap" and pid in self.opened:
            self.opened.discard(pid)
            self.mapped[pid] = int(SIZE.match(rest)[1])

    def end_of_map(self, line):
        """In this line or, if another process came between, in a later one."""
        match = RESULT.match(line)
        if match and match[1] in self.mapped:
            start = int(match[2], 16)
            self.ranges.append((start, start + self.mapped.pop(match[1])))


def traced(command, *options):
    file = scratch("trace")
    environment = [word for pair in preload(session=scratch("session")).items() for word in ("-E", "=".join(pair))]
    run = run_bare([need("strace"), "-f", "-i", "-qq", "-o", file, *environment, *options, *command])
    if not file.exists() or not file.stat().st_size:
        raise Skip(f"strace cannot trace here: {run.err}")
    return run, Calls(file)


def page_of(name):
    """The manual page of a system call, also that of another name (.so); None where there is none."""
    file = PAGES / f"man2/{name}.2.gz"
    while file.exists():
        text = gzip.decompress(file.read_bytes()).decode()
        other = re.match(r"\.so (\S+)", text)
        if not other:
            return text
        file = PAGES / f"{other[1]}.gz"
    return None


@functools.cache
def errnos_of(name):
    page = page_of(name) or ""
    section = re.search(r"^\.SH ERRORS$(.*?)^\.SH ", page, re.M | re.S)
    named = re.findall(r"\bE[A-Z0-9]+\b", " ".join(re.findall(r"^\.BR? (.*)", section[1], re.M))) if section else ()
    return sorted(ERRNOS | {word for word in named if hasattr(errno, word)})


def positions(calls):
    """{(name, n)}: the library makes a process's n-th call of this name."""
    count, found = {}, set()
    for pid, name, ours, _ in calls.all:
        count[pid, name] = count.get((pid, name), 0) + 1
        if ours:
            found.add((name, count[pid, name]))
    return found


def check_one(command, bare, name, number, error):
    """Whether it was the library's call that failed, and no other one."""
    run, calls = traced(command, "-e", f"trace=openat,mmap,{name}", "-e", f"inject={name}:error={getattr(errno, error)}:when={number}")
    injected = [ours for _, _, ours, rest in calls.all if rest.endswith("(INJECTED)")]
    if not injected or not all(injected):
        return False
    what = f"{name} number {number} fails with {error}"
    same(bare, run, what)
    said = run.err.splitlines()
    assert all(line.startswith("mpsan: ") for line in said) and len(said) <= 1, f"{what}: {run.err}"
    return True


def check(part):
    command = [program("workout"), part]
    bare = run_bare(command)
    run, calls = traced(command)
    same(bare, run, part)
    assert not run.err, run.err
    rounds = [(name, number, error) for name, number in sorted(positions(calls)) for error in errnos_of(name)]
    seed = int(os.environ.get("MPSAN_SEED", random.randrange(1 << 32)))
    random.Random(seed).shuffle(rounds)
    failed, until = 0, time.monotonic() + SECONDS
    for round_ in rounds:
        if time.monotonic() > until and not FULL:
            break
        failed += check_one(command, bare, *round_)
    paged = sorted({name for name, _, _ in rounds if page_of(name)})
    print(f"{part}: {failed} calls failed, of {len(rounds)} pairs of a call and an errno; {len(paged)} of "
          f"{len({name for name, _, _ in rounds})} calls have a manual page here")
    assert failed >= 5, f"MPSAN_SEED={seed}: only {failed} calls of the library failed"


main({part: lambda part=part: check(part) for part in ("forks", "vforks", "spawns")})
