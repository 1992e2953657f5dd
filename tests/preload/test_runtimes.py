#!/usr/bin/env python3
"""libgomp is known by the name that it gives itself: as wheels rename it, too. Runtimes of other names export the same
functions and repair their pools after a fork. The stand-in opens no threads; its region in the child is only long."""
# cases

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, scratch  # noqa: E402
from mpsantest import main, run_mpsan, verdicts  # noqa: E402

RUNTIME = """
int omp_get_level(void) { return 0; }
int omp_get_dynamic(void) { return 0; }
int omp_get_thread_limit(void) { return 0x7fffffff; }
int omp_get_max_active_levels(void) { return 1; }
int omp_get_max_threads(void) { return THREADS; }
void GOMP_parallel(void (*region)(void *), void *data, unsigned threads, unsigned flags) { region(data); }
"""
PROGRAM = """
#include <sys/wait.h>
#include <unistd.h>
void GOMP_parallel(void (*region)(void *), void *data, unsigned threads, unsigned flags);
static void region(void *ms) { usleep(1000 * *(int *)ms); }
int main(void)
{
	int shortly = 0, long_enough = 700, status;
	GOMP_parallel(region, &shortly, 0, 0);
	if (!fork()) { GOMP_parallel(region, &long_enough, 0, 0); _exit(0); }
	return wait(&status) < 0 || status;
}
"""


def check(soname, threads, expected):
    runtime = build(RUNTIME, scratch(soname), "-shared", "-fPIC", f"-Wl,-soname,{soname}", f"-DTHREADS={threads}")
    program = build(PROGRAM, runtime.parent / "program", runtime, f"-Wl,-rpath,{runtime.parent}")
    found = verdicts(run_mpsan([program]).report)
    assert found == expected, found


HANGS = {"fork-thread-pool error"}
main({
    "libgomp": functools.partial(check, "libgomp.so.1", 4, HANGS),
    "renamed": functools.partial(check, "libgomp-a34b3233.so.1", 4, HANGS),
    "one_thread": functools.partial(check, "libgomp.so.1", 1, set()),
    "llvm": functools.partial(check, "libomp.so.5", 4, set()),
    "intel": functools.partial(check, "libiomp5.so", 4, set()),
})
