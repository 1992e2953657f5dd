#!/usr/bin/env python3
"""Programs that cannot be watched keep their exit codes, and the report names them: static, musl, 32-bit, privileged."""
# cases

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, can_build, let_others_in, need, need_x86_64, preload, run_bare, scratch  # noqa: E402
from mpsantest import LIBRARY, Skip, main, run_mpsan, system_python, verdicts  # noqa: E402

RETURNS_7 = "int main(void) { return 7; }\n"
BARE_METAL = ('__attribute__((noreturn)) void _start(void) { __asm__ volatile("int $0x80" : : "a"(1), "b"(7)); '
              'for (;;) ; }\n')


def built(name, *flags, text=RETURNS_7, compiler="gcc"):
    if not can_build(*flags, *(["-nostartfiles"] if text == BARE_METAL else []), compiler=compiler):
        raise Skip(f"{compiler} {' '.join(flags)} does not link here")
    return build(text, scratch(name), *flags, compiler=compiler)


def check(name, command):
    """As a child of a shell, and as the program itself."""
    shell = ["sh", "-c", f"{command} & wait $!; echo code $?; exit 3"]
    bare, run = run_bare(shell), run_mpsan(shell)
    assert (run.exit, run.out) == (bare.exit, bare.out) == (3, "code 7\n"), (bare, run)
    # a helper that ends at once is no limit, but its row says why it was not watched
    reasons = [f"{process['argv']} {process['watched']}" for process in run.report["processes"] if process["watched"] is not True]
    assert any(name in text for text in [*run.report["limits"], *reasons]), f"{name} is not named: {run.report['limits']}"
    assert not verdicts(run.report), run.report["findings"]
    own = run_mpsan([command])
    assert own.exit == 7 and own.report["limits"], own
    assert len(own.err.splitlines()) <= 3, f"more than a note: {own.err}"


def check_32_bit():
    need_x86_64("the option -m32 is")
    program = build(BARE_METAL, scratch("word32"), "-m32", "-nostdlib", "-static", "-fno-pic", "-O0")
    if subprocess.run([program]).returncode != 7:
        raise Skip("the kernel runs no 32-bit programs")
    check("word32", program)


def check_musl():
    need("musl-gcc")
    program = built("withmusl", compiler="musl-gcc")
    bare, run = run_bare([program]), run_bare([program], env=preload(session=scratch("session")))
    assert (run.exit, run.out, run.err) == (bare.exit, bare.out, bare.err), f"preloaded by itself: {run}"
    check("withmusl", program)


def check_scrubbed():
    """A child whose environment was emptied is no longer watched; that is said."""
    shell = ["sh", "-c", "env -i sh -c 'exit 7'; exit $?"]
    run = run_mpsan(shell)
    assert run.exit == 7 and run.report["limits"], run


GIVEN = """
import os, subprocess
given = {"PATH": "/bin", "EMPTY": "", "LONG": "x" * 5000, **GIVEN}
child = ["/usr/bin/env", "-0"]
heard = [subprocess.run(child, env=given, stdout=-1).stdout]
for start in (lambda: os.posix_spawn(child[0], child, given), lambda: os.fork() or os.execve(child[0], child, given)):
    reader, writer = os.pipe()
    kept = os.dup(1)
    os.dup2(writer, 1)
    pid = start()
    os.dup2(kept, 1)
    os.close(writer)
    heard.append(os.fdopen(reader, "rb").read())
    os.waitpid(pid, 0)
want = b"".join(f"{name}={value}\\0".encode() for name, value in given.items())
print([each == want for each in heard])
"""


def check_given(given):
    """The environment that a program gives to a child is what the child has, byte for byte and in its order."""
    run = run_mpsan([system_python(), "-c", GIVEN.replace("GIVEN", given)])
    assert (run.exit, run.out) == (0, "[True, True, True]\n"), run


# An `env` of our own: some releases have one that is not content with any name.
ENV = """
#include <stdio.h>
extern char **environ;
int main(void)
{
	for (char **at = environ; *at; at++) puts(*at);
	return 0;
}
"""
# Starts it in each way that there is, with an environment of its own that has one variable; a program that is not there is refused.
STARTS = """
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static char *argv[] = {"env", NULL}, *envp[] = {"PATH=" PLACE, NULL};
static void start(int way)
{
	int fd = open(PLACE "/env", O_PATH);
	if (way < 4) environ = envp;
	switch (way) {
	case 0: execv(PLACE "/env", argv); break;
	case 1: execvp("env", argv); break;
	case 2: execl(PLACE "/env", "env", "-u", "A", "-u", "B", "-u", "C", NULL); break;
	case 3: execlp("env", "env", NULL); break;
	case 4: execve(PLACE "/env", argv, envp); break;
	case 5: execvpe("env", argv, envp); break;
	case 6: execle(PLACE "/env", "env", "-u", "A", "-u", "B", NULL, envp); break;
	case 7: fexecve(fd, argv, envp); break;
	case 8: execveat(fd, "", argv, envp, AT_EMPTY_PATH); break;
	}
	_exit(3);
}
int main(void)
{
	pid_t pid;
	int status;
	for (int way = 0; way < 9; way++) {
		if ((pid = way % 2 ? vfork() : fork()) == 0) start(way);
		if (waitpid(pid, &status, 0) != pid || status) return 1;
	}
	if (posix_spawn(&pid, PLACE "/env", NULL, NULL, argv, envp) || waitpid(pid, &status, 0) != pid || status) return 2;
	if (posix_spawnp(&pid, "env", NULL, NULL, argv, envp) || waitpid(pid, &status, 0) != pid || status) return 2;
	errno = 0;
	return execve("/nowhere/env", argv, envp) == -1 && errno == ENOENT ? 0 : 4;
}
"""


def check_restored():
    """With --restore-preload every child is watched, and has what else its parent gave it; without it none is."""
    place = build(ENV, scratch("env")).parent
    program = build(STARTS, scratch("starts"), f'-DPLACE="{place}"')
    bare, run = run_bare([program]), run_mpsan([program], ["--restore-preload"])
    assert (bare.exit, bare.out) == (0, 11 * f"PATH={place}\n"), bare
    variables = [line.partition("=")[0] for line in run.out.splitlines()]
    assert run.exit == 0 and variables == 11 * ["PATH", "LD_PRELOAD", "MPSAN_DIR", "MPSAN_OPTIONS"], run
    pids = {process["pid"] for process in run.report["processes"] if process["watched"]}
    assert len(pids) == 12 and not run.report["limits"], (run.report["processes"], run.report["limits"])
    run = run_mpsan([program])
    assert run.out == bare.out and "--restore-preload" in " ".join(run.report["limits"]), run.report["limits"]


def check_privileged():
    """A set-user-ID program that was even linked with the library: it must not write where its caller says."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    place = scratch("x").parent
    trap = place / "trap"
    program = build(RETURNS_7, place / "privileged", "-Wl,--no-as-needed", str(LIBRARY), f"-Wl,-rpath,{LIBRARY.parent}")
    trap.mkdir()
    trap.chmod(0o777)
    program.chmod(0o4755)
    let_others_in(place)
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program]
    secure = run_bare(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "LD_SHOW_AUXV=1", program])
    run = run_bare(user, env={"MPSAN_DIR": str(trap / "session"), "TMPDIR": str(trap)})
    if run.exit == 127 or "AT_SECURE" in secure.out:
        raise Skip("set-user-ID has no effect here")
    assert (run.exit, run.err) == (7, ""), run
    assert not list(trap.iterdir()), f"made {list(trap.iterdir())}"


main({"static": lambda: check("plainstatic", built("plainstatic", "-static")),
      "static_pie": lambda: check("staticpie", built("staticpie", "-static-pie")),
      "musl_static": lambda: check("muslstatic", built("muslstatic", "-static", compiler=need("musl-gcc"))),
      "musl": check_musl, "32_bit": check_32_bit, "scrubbed": check_scrubbed,
      "given_without": lambda: check_given("{}"), "given_with": lambda: check_given("{**os.environ, 'LAST': '1'}"),
      "restored": check_restored, "privileged": check_privileged})
