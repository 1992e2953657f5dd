#!/usr/bin/env python3
"""The Open POSIX Test Suite, of the distribution's source package, bare and under the library, program by program."""
# cases
# limit: 7200
# serial

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import need  # noqa: E402
from mpsantest import main  # noqa: E402
from sources import source_of  # noqa: E402
from suite import Suite, build_programs, run_programs  # noqa: E402

GROUPS = {  # folders of conformance/interfaces
    "fork": ("fork", "pthread_atfork", "killpg", "kill", "raise"),
    "memory": ("mmap", "munmap", "shm_open", "shm_unlink", "mlock*", "munlock*"),
    "semaphores": ("sem_*",),
    "queues": ("mq_*",),
    "mutexes": ("pthread_mutex*",),
    "conditions": ("pthread_cond*",),
    "rwlocks": ("pthread_rwlock*", "pthread_barrier*", "pthread_spin*"),
    "threads": ("pthread_attr*", "pthread_c[alr]*", "pthread_[degjko]*", "pthread_s[eio]*", "pthread_t*"),
    "signals": ("sig*",),
    "timers": ("timer*", "clock*", "nanosleep"),
}


def sources(place):
    for source in sorted(place.glob("conformance/interfaces/*/*-*.c")):
        if "main" in source.read_text(errors="replace"):
            yield source


def build(place):
    flags = ["-std=gnu99", "-D_GNU_SOURCE", "-I", place / "include", "-pthread", "-lrt", "-lm"]
    build_programs(sources(place), lambda source: flags)


def programs(place, group):
    folders = {folder for pattern in GROUPS[group] for folder in place.glob(f"conformance/interfaces/{pattern}")}
    return [source.with_suffix("") for source in sources(place) if source.parent in folders and source.with_suffix("").exists()]


def run_tests(place, group, prefix, only):
    top = place / "conformance/interfaces"
    return run_programs(prefix, top, [top / name for name in only] or programs(place, group))


def check(group):
    need("cc")
    place = source_of("posixtestsuite", build)
    Suite(functools.partial(run_tests, place, group)).compare(group)


main({group: functools.partial(check, group) for group in GROUPS})
