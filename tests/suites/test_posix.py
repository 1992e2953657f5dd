#!/usr/bin/env python3
"""The Open POSIX Test Suite, of the distribution's source package, bare and under the library, program by program."""
# cases
# limit: 7200
# serial

import concurrent.futures
import functools
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import need, scratch  # noqa: E402
from mpsantest import main, run_bare, system_python  # noqa: E402
from sources import source_of  # noqa: E402
from suite import Suite  # noqa: E402

RUNNER = Path(__file__).resolve().parent / "run_programs.py"
JOBS, LIMIT = 4, 30
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


def build_one(source):
    subprocess.run(["cc", "-w", "-std=gnu99", "-D_GNU_SOURCE", "-I", source.parents[3] / "include", "-o", source.with_suffix(""),
                    source, "-pthread", "-lrt", "-lm"], stderr=subprocess.DEVNULL)


def build(place):
    """What this compiler refuses is no program of the suite here."""
    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        list(pool.map(build_one, sources(place)))


def programs(place, group):
    folders = {folder for pattern in GROUPS[group] for folder in place.glob(f"conformance/interfaces/{pattern}")}
    return [source.with_suffix("") for source in sources(place) if source.parent in folders and source.with_suffix("").exists()]


def run_tests(place, group, prefix, only):
    file, top = scratch("results.json"), place / "conformance/interfaces"
    wanted = [top / name for name in only] or programs(place, group)
    run = run_bare([*prefix, system_python(), RUNNER, file, str(JOBS), str(LIMIT), *wanted], 3000)
    assert file.exists(), f"no results\n{run.out[-2000:]}{run.err[-2000:]}"
    return {Path(name).relative_to(top).as_posix(): result for name, result in json.loads(file.read_text()).items()}


def check(group):
    need("cc")
    place = source_of("posixtestsuite", build)
    Suite(functools.partial(run_tests, place, group)).compare(group)


main({group: functools.partial(check, group) for group in GROUPS})
