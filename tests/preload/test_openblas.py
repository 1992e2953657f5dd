#!/usr/bin/env python3
"""The same matrix product on both sides of a fork, with OpenBLAS as Debian builds it: on OpenMP the child hangs, on its
own threads it does not, since those are joined before a fork. OPENBLAS names another root than / for the libraries."""
# cases

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, scratch  # noqa: E402
from mpsantest import Skip, find, loud_findings, main, run_mpsan  # noqa: E402

PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, N = 400 };
static void (*dgemm)(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
static void multiply(void)
{
	static double a[N * N], b[N * N], c[N * N];
	dgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, N, N, N, 1, a, N, b, N, 0, c, N);
}
int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int status;
	dgemm = library ? dlsym(library, "cblas_dgemm") : NULL;
	if (!dgemm) { puts(dlerror()); return 3; }
	multiply();
	if (!fork()) { multiply(); _exit(0); }
	return wait(&status) < 0 || status;
}
"""


def run(build_name):
    place = Path(os.environ.get("OPENBLAS", "/")) / f"usr/lib/{os.uname().machine}-linux-gnu/openblas-{build_name}"
    library = place / "libopenblas.so.0"
    if not library.exists():
        raise Skip(f"no {library} here")
    program = build(PROGRAM, scratch("product"), "-rdynamic", "-ldl")
    threads = {"OPENBLAS_NUM_THREADS": "4", "OMP_NUM_THREADS": "4"}
    return run_mpsan([program, library], ["--on-deadlock=kill"], env=threads).report


def check_openmp():
    finding = find(run("openmp"), "fork-thread-pool", "error")
    assert "libgomp" in finding["message"], finding["message"]


def check_pthread():
    report = run("pthread")
    assert not loud_findings(report), report["findings"]


main({"openmp": check_openmp, "pthread": check_pthread})
