#!/usr/bin/env python3
"""dlsym, dlvsym, dlopen and dlmopen answer as without the library, but for our hooks behind a handle of libc."""
# cases

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import as_bare, build, can_build, preload, program, rounds, run_bare, same, scratch, with_session  # noqa: E402
from mpsantest import LIBRARY, Skip, main  # noqa: E402

NEXT = """
#include <dlfcn.h>
#include <unistd.h>
pid_t getppid(void) { return ((pid_t (*)(void))dlsym(RTLD_NEXT, "getppid"))() + 0; }
"""
NEIGHBOUR = "int neighbour(void) { return 42; }\n"
OPENER = """
#include <dlfcn.h>
int open_neighbour(void)
{
	void *library = dlopen("libneighbour.so", RTLD_NOW);
	int (*neighbour)(void) = library ? (int (*)(void))dlsym(library, "neighbour") : 0;
	return neighbour ? neighbour() : -2;
}
"""
LOCKER = """
#include <pthread.h>
int use_lock(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	return pthread_mutex_lock(&mutex) + 10 * pthread_mutex_trylock(&mutex) + pthread_mutex_unlock(&mutex);
}
"""
STARTER = """
#include <pthread.h>
static void *starts(void *argument) { return argument; }
int start_thread(void)
{
	pthread_t thread;
	void *result = 0;
	return pthread_create(&thread, 0, starts, &result) + pthread_join(thread, &result) + (result != &result);
}
"""
LATE = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *library = dlopen(argv[argc - 1], RTLD_NOW);
	int (*start)(void) = library ? (int (*)(void))dlsym(library, "start_thread") : 0;
	printf("%d\\n", start ? start() : -1);
	return 0;
}
"""
OPENMP = """
#include <stdio.h>
int main(void)
{
	long sum = 0;
	#pragma omp parallel for reduction(+:sum)
	for (int i = 0; i < 1000; i++) sum += i;
	printf("%ld\\n", sum);
	return 0;
}
"""


def shared(text, name, *flags, place=None):
    return build(text, (place or scratch(name).parent) / name, "-shared", "-fPIC", *flags)


def ask(question, library=LIBRARY):
    return as_bare([program("loader"), question, library])


def check_two_libraries():
    """Two more preloaded libraries wrap the same function by RTLD_NEXT; ours stands before, between and behind."""
    one, two = shared(NEXT, "libone.so"), shared(NEXT, "libtwo.so")
    bare = run_bare([program("loader"), "next_twice", LIBRARY], env=preload(one, two))
    assert "works 1" in bare.out, bare
    for chain in ([LIBRARY, one, two], [one, LIBRARY, two], [one, two, LIBRARY]):
        run, _ = with_session([program("loader"), "next_twice", LIBRARY], chain)
        same(bare, run, chain)


def check_runpath():
    place = scratch("sub").parent
    (place / "sub").mkdir()
    shared(NEIGHBOUR, "libneighbour.so", place=place / "sub")
    opener = shared(OPENER, "libopener.so", "-Wl,-rpath,$ORIGIN/sub", "-Wl,--enable-new-dtags", place=place)
    run, _ = with_session([program("loader"), "runpath", opener])
    assert run.out == "neighbour says 42\n", run


def check_namespace():
    ask("namespace", shared(LOCKER, "liblocker.so"))


def check_present():
    """A program finds what it would find without the library, before and after it loads the runtime of OpenMP."""
    run = run_bare([program("loader"), "present", "libgomp.so.1"])
    for line in ("fork 1 1 1", "GOMP_parallel 0 0 0", "GOMP_parallel 1 1 1"):
        assert line in run.out.splitlines(), run
    ask("present", "libgomp.so.1")


def check_answered():
    run, _ = with_session([program("loader"), "answered", LIBRARY])
    assert run.err == "hooked 1\n", run


def check_late_threads():
    """The first library with threads is loaded by a program that has none: before glibc 2.34 libpthread comes with it."""
    as_bare([build(LATE, scratch("late"), "-ldl"), shared(STARTER, "libstarter.so", "-pthread")])


def check_beside_loads():
    """Threads are made while another one loads and unloads libraries."""
    neighbour = shared(NEIGHBOUR, "libneighbour.so")
    for _ in range(rounds(1, 3)):
        ask("beside_loads", neighbour)


def check_openmp(compiler):
    if not can_build("-fopenmp", compiler=compiler):
        raise Skip(f"{compiler} has no OpenMP library here")
    as_bare([build(OPENMP, scratch("openmp"), "-fopenmp", compiler=compiler)])


main({"next_twice": lambda: ask("next_twice"), "two_libraries": check_two_libraries, "runpath": check_runpath,
      "libc_handle": lambda: ask("libc_handle"), "answered": check_answered, "present": check_present, "namespace": check_namespace,
      "late_threads": check_late_threads, "beside_loads": check_beside_loads,
      "unknown": lambda: ask("unknown"), "odd_handles": lambda: ask("odd_handles"),
      "libgomp": functools.partial(check_openmp, "gcc"), "libomp": functools.partial(check_openmp, "clang")})
