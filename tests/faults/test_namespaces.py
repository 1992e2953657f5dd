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
from mpsantest import (  # noqa: E402
    BUILD, FINDINGS_EXIT, MPSAN, ROOT, Expectation, Skip, main, run_bare, run_mpsan, system_python, verdicts)

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

# A process that only root may look at: not for longer than the supervisor needs to see that.
NOT_DUMPABLE = """
#include <sys/prctl.h>
#include <unistd.h>
int main(void)
{
	prctl(PR_SET_DUMPABLE, 0);
	return (int)sleep(4);
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
    """Processes 1 and 2 of a namespace are not those of the machine: a healthy program has no finding."""
    inner = need_namespaces("--pid")
    run = run_mpsan([*inner, "sh", "-c", "/bin/true; read line; exit 3"])
    assert run.exit == 3 and not verdicts(run.report), run
    assert not any("PID namespaces" in limit for limit in run.report["limits"]), run.report["limits"]


def inside(name, *options):
    """What is found in a program of preload/ that is in a PID namespace below the job's."""
    source = ROOT / "tests/preload" / name
    command = [system_python(), source] if source.suffix == ".py" else [BUILD / "tests/preload" / Path(name).with_suffix("")]
    return run_mpsan([*need_namespaces("--pid", *options), *command], ["--on-deadlock=kill"])


def check_examined_inside():
    """Hangs inside are proven as they are outside: owners in memory, a child by its pid, an owner that was killed."""
    for name in ("waits/deadlock-cycle-mutex.c", "waits/deadlock-cycle-shared.c", "waits/deadlock-cycle-barrier-failed.py",
                 "waits/lock-owner-killed-mutex.c", "waits/lock-owner-killed-lock.py", "fork/fork-orphaned-lock-mutex.c"):
        run = inside(name, "--mount-proc")
        expectation = Expectation(ROOT / "tests/preload" / name)
        expectation.check_report(run.report)


def check_silent_inside():
    """Healthy programs inside stay silent."""
    for name in ("waits/silent-reach-job.c", "waits/silent-rwlock-twice.c"):
        run = inside(name, "--mount-proc")
        assert run.exit == 0 and not verdicts(run.report), run


def check_why_not_examined():
    """A process inside that nobody may look at, and the reason."""
    inner = need_namespaces("--pid")
    if not shutil.which("setpriv") or os.geteuid():
        raise Skip("not root, or no setpriv")
    weak = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"]
    run = run_bare([*weak, MPSAN, "run", "--report", "json=-", "--", *inner, build(NOT_DUMPABLE, scratch("private"))])
    assert run.exit == 0 and "no permission to read /proc/PID/ns" in run.out + run.err, run


def check_foreign_proc():
    """A supervisor whose /proc counts otherwise than it does itself looks at nobody, and says so."""
    inner = need_namespaces("--pid")
    run = run_bare([*inner, MPSAN, "run", "--report", "json=-", "--", "sh", "-c", "sleep 1; exit 4"])
    assert run.exit == 4, run
    assert "/proc" in run.out + run.err and "error:" not in run.err, run


main({
    "killed_elsewhere": check_killed_elsewhere,
    "nobody_is_taken_for_them": check_nobody_is_taken_for_them,
    "examined_inside": check_examined_inside,
    "silent_inside": check_silent_inside,
    "why_not_examined": check_why_not_examined,
    "foreign_proc": check_foreign_proc,
})
