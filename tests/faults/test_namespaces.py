#!/usr/bin/env python3
"""A supervisor and processes that are counted in other pid namespaces: they are ended with the rest, nobody else is, and
nobody is taken for them."""
# cases
# limit: 120

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, scratch  # noqa: E402
from mpsantest import BUILD, FINDINGS_EXIT, MPSAN, Skip, main, run_bare, run_mpsan, verdicts  # noqa: E402

KNOT = BUILD / "tests/preload/waits/deadlock-cycle-mutex"

# A namespace that is not ended with its parent: its first process, and a second one, wait for a line that never comes.
INNER = """
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int ready[2];
	char byte;
	if (pipe(ready))
		return 1;
	if (fork() == 0) {
		if (unshare(CLONE_NEWPID))
			_exit(77);
		if (fork())
			_exit(0);
		fork();
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		_exit((int)read(0, &byte, 1));
	}
	if (read(ready[0], &byte, 1) != 1 || read(ready[0], &byte, 1) != 1 || wait(NULL) < 0)
		return 1;
	execv(argv[1], argv + 1);
	return 1;
}
"""


def need_namespaces(*options):
    if not shutil.which("unshare") or run_bare(["unshare", *options, "--fork", "true"]).exit:
        raise Skip("no pid namespaces here")
    return ["unshare", *options, "--fork"]


def living(name):
    """Pids of processes that run this program."""
    found = []
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdigit() and os.readlink(place / "exe") == str(name):
                found.append(int(place.name))
        except OSError:
            pass
    return found


def check_killed_elsewhere():
    """A deadlock is proven outside: those inside go as well."""
    need_namespaces("--pid")
    inner = build(INNER, scratch("inner"))
    reader, writer = os.pipe()
    process = subprocess.Popen([MPSAN, "run", "--on-deadlock=kill", "--", inner, KNOT], stdin=reader, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        said = process.communicate(timeout=30)[1]
        assert process.returncode == FINDINGS_EXIT, (process.returncode, said)
        assert not living(inner), "processes of the inner namespace live on"
    finally:
        os.close(writer)
        os.close(reader)


def check_nobody_is_taken_for_them():
    """Processes 1 and 2 of a namespace are not those of the machine: a healthy program has no finding, and that they were
    not looked at is said."""
    inner = need_namespaces("--pid")
    run = run_mpsan([*inner, "sh", "-c", "/bin/true; read line; exit 3"])
    assert run.exit == 3 and not verdicts(run.report), run
    assert any("other PID namespaces" in limit for limit in run.report["limits"]), run.report["limits"]


def check_foreign_proc():
    """A supervisor whose /proc counts otherwise than it does itself looks at nobody, and says so."""
    inner = need_namespaces("--pid")
    run = run_bare([*inner, MPSAN, "run", "--report", "json=-", "--", "sh", "-c", "sleep 1; exit 4"])
    assert run.exit == 4, run
    assert "/proc" in run.out + run.err and "error:" not in run.err, run


main({
    "killed_elsewhere": check_killed_elsewhere,
    "nobody_is_taken_for_them": check_nobody_is_taken_for_them,
    "foreign_proc": check_foreign_proc,
})
