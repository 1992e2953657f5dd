#!/usr/bin/env python3
"""A program runs as without the library on stacks of its own and under filters that forbid the library's system calls. A library
at the address of an unloaded one is named as itself."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, can_build, scratch  # noqa: E402
from mpsantest import BUILD, Skip, main, run_bare, run_mpsan  # noqa: E402

PROGRAM = BUILD / "tests/faults/odd_memory"


def check(mode):
    bare = run_bare([PROGRAM, mode])
    if bare.exit == 77:
        raise Skip(f"{mode} cannot be had here")
    assert bare.exit == 0 and bare.out, bare
    for level in "full", "forks":
        run = run_mpsan([PROGRAM, mode], options=(f"--level={level}",))
        assert (run.exit, run.out) == (bare.exit, bare.out), (level, run)
        assert not [f for f in run.report["findings"] if f["severity"] == "error"], run.report


LEAVES = """
#include <fcntl.h>
#include <sys/mman.h>
int leave_NAME(const char *name) { return shm_open(name, O_RDWR | O_CREAT, 0600); }
"""
LOADS = """
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	const char *names[][3] = {{"./first.so", "leave_first", "/mpsan-unloaded"}, {"./second.so", "leave_other", "/mpsan-unloaded-too"}};
	void *places[2];

	if (argc < 2 || chdir(argv[1]))
		return 1;
	for (int i = 0; i < 2; i++) {
		void *library = dlopen(names[i][0], RTLD_NOW);

		places[i] = dlsym(library, names[i][1]);
		((int (*)(const char *))places[i])(names[i][2]);
		dlclose(library);
	}
	shm_unlink("/mpsan-unloaded");
	return places[0] == places[1] ? 0 : 77;
}
"""


def check_unloaded():
    if not can_build():
        raise Skip("no compiler")
    place = scratch("unloaded")
    place.mkdir()
    for library, name in ("first", "first"), ("second", "other"):
        build(LEAVES.replace("NAME", name), place / f"{library}.so", "-shared", "-fPIC")
    program = build(LOADS, place / "loads")
    try:
        run = run_mpsan([program, place])
    finally:
        Path("/dev/shm/mpsan-unloaded-too").unlink(missing_ok=True)
    if run.exit == 77:
        raise Skip("the second library lies elsewhere")
    found = [f["message"] for f in run.report["findings"] if f["rule"] == "shm-leaked"]
    assert len(found) == 1 and "mpsan-unloaded-too" in found[0] and "second.so" in found[0], found


main({"unloaded": check_unloaded, "coroutine": lambda: check("coroutine"), "kill": lambda: check("kill"), "kill-odd": lambda: check("kill-odd"),
      "answer": lambda: check("answer")})
