#!/usr/bin/env python3
"""A library may be there several times, each copy for those that came with it. A hook must call the copy that its caller
is bound to without us: the copies here say who they are by a hooked function and by one that nobody hooks."""
# cases

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import as_bare, build, run_bare, scratch  # noqa: E402
from mpsantest import main  # noqa: E402

RUNTIME = """
void GOMP_parallel(void (*region)(void *), void *data, unsigned threads, unsigned flags)
{
	*(const char **)data = NAME;
	region(data);
}
const char *runtime_name(void) { return NAME; }
"""
PLUGIN = """
#include <stdio.h>
void GOMP_parallel(void (*region)(void *), void *data, unsigned threads, unsigned flags);
const char *runtime_name(void);
static void region(void *data) { (void)data; }
void use(const char *who)
{
	const char *hooked = "";
	for (int i = 0; i < 3; i++) {
		GOMP_parallel(region, &hooked, i, 0);
		printf("%s is bound to %s and %s\\n", who, hooked, runtime_name());
	}
}
#ifdef INNER
void use_inner(const char *who);
void use_both(const char *who) { use(who); use_inner("inner"); }
#endif
"""
PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#ifdef BOUND
const char *runtime_name(void);
#endif
static void *loaded;
static void visit(const char *path, int flags, const char *function)
{
	void (*use)(const char *);
	loaded = dlopen(path, flags | RTLD_NOW);
	if (!loaded) { puts(dlerror()); exit(3); }
	use = (void (*)(const char *))dlsym(loaded, function);
	if (use) use(strrchr(path, '/') + 1);
}
int main(int argc, char **argv)
{
#ifdef BOUND
	printf("the program has %s\\n", runtime_name());
#endif
	for (int i = 1; i < argc; i++) {
		const char *path = strchr(argv[i], ':') + 1;
		if (argv[i][0] == 'c')
			printf("closed %d\\n", dlclose(loaded));
		else
			visit(path, argv[i][0] == 'g' ? RTLD_GLOBAL : RTLD_LOCAL, argv[i][0] == 'b' ? "use_both" : "use");
	}
	return 0;
}
"""


class World:
    """Two copies of a runtime, a plugin for each, and a program that loads what it is told to."""

    def __init__(self):
        self.place = scratch("x").parent
        for name in "ab":
            self.library(RUNTIME, f"libruntime-{name}.so", f'-DNAME="{name}"')
            self.library(PLUGIN, f"libplugin-{name}.so", f"-lruntime-{name}")
        self.library(PLUGIN, "libinner.so", "-Duse=use_inner", "-lruntime-b")
        self.library(PLUGIN, "libouter.so", "-DINNER", "-lruntime-a", "-linner")

    def library(self, text, name, *flags):
        return build(text, self.place / name, "-shared", "-fPIC", f"-L{self.place}", "-Wl,-rpath,$ORIGIN", *flags)

    def run(self, *words, flags=()):
        program = build(PROGRAM, self.place / "program", f"-L{self.place}", f"-Wl,-rpath,{self.place}", *flags, "-ldl")
        command = [program, *(f"{word[0]}:{self.place}/{word[2:]}" for word in words)]
        as_bare(command)
        return run_bare(command)


def check_local():
    run = World().run("l:libplugin-a.so", "l:libplugin-b.so", "l:libplugin-a.so")
    assert "bound to a and a" in run.out and "bound to b and b" in run.out, run


def check_global():
    """What somebody loaded for all goes before a plugin's own copy."""
    run = World().run("g:libruntime-a.so", "l:libplugin-b.so")
    assert "libplugin-b.so is bound to a and a" in run.out, run


def check_program():
    run = World().run("l:libplugin-b.so", flags=("-DBOUND", "-lruntime-a"))
    assert "libplugin-b.so is bound to a and a" in run.out, run


def check_inner():
    """A library is bound by what its loader brought along, not by what it names itself."""
    run = World().run("b:libouter.so")
    assert "inner is bound to a and a" in run.out, run


def check_reloaded():
    """The next library may stand where the last one stood."""
    words = ["l:libplugin-a.so", "c:", "l:libplugin-b.so", "c:"] * 5
    run = World().run(*words)
    assert run.out.count("bound to a and a") == run.out.count("bound to b and b") == 15, run


main({"local": check_local, "global": check_global, "program": check_program, "inner": check_inner,
      "reloaded": check_reloaded})
