#!/usr/bin/env python3
"""Without /proc (not mounted, or masked): programs run as they do alone, and one line of each command says the cure."""
# cases

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import need, preload, program, run_bare, scratch  # noqa: E402
from mpsantest import MPSAN, Skip, main  # noqa: E402

WORK = [program("workout"), "threads,locks,forks,vforks,spawns"]
CURE = "mount -t proc"


def without(command, env=None, mask="mount -t tmpfs none /proc"):
    shell = [need("unshare"), "-m", "sh", "-c", f'{mask} || exit 77; exec "$@"', "sh"]
    if run_bare([*shell, "true"]).exit:
        raise Skip("mounting is not permitted here")
    return run_bare([*shell, *command], env=env)


def lines(text):
    return [line for line in text.splitlines() if line.startswith("mpsan: ")]


def check_run():
    report = scratch("report.json")
    bare = without(WORK)
    done = without([MPSAN, "run", "--report", f"json={report}", "--report", "text=stderr", "--", *WORK])
    assert (done.exit, done.out) == (bare.exit, bare.out), (bare, done)
    limits = json.loads(report.read_text())["limits"]
    assert any(CURE in line for line in limits), limits
    assert not any("seccomp" in line for line in limits), limits
    done = without([MPSAN, "run", "--", "sh", "-c", "kill -TERM $$"])
    assert done.exit == 143, done


def check_library():
    bare = without(WORK)
    done = without(WORK, preload(TMPDIR=str(scratch("x").parent)))
    assert (done.exit, done.out) == (bare.exit, bare.out), (bare, done)
    assert all(CURE in line for line in lines(done.err)) and lines(done.err), done.err
    tree = ["sh", "-c", "true; /bin/true; (true; exec /bin/true); sh -c '/bin/true; exec /bin/true'; exec /bin/true"]
    done = without(tree, preload(TMPDIR=str(scratch("x").parent)))
    assert len(lines(done.err)) == 1 and CURE in done.err, done.err  # of the first process
    done = without([program("workout"), "threads,locks"], preload(TMPDIR=str(scratch("x").parent)))
    assert len(lines(done.err)) == 1, done.err
    done = without(WORK, preload(session=scratch("session")))  # who is told where needs no /proc
    assert (done.exit, done.out, done.err) == (bare.exit, bare.out, bare.err), (bare, done)


def check_no_session():
    for words in (["ps"], ["top", "--once"], ["ipc"]):
        done = without([MPSAN, *words], {"TMPDIR": str(scratch("x").parent)})
        assert done.exit == 2 and len(lines(done.err)) == 1 and CURE in done.err, (words, done)


def check_recorded():
    """A session that is over needs no /proc."""
    session = scratch("session")
    run_bare(WORK, env=preload(session=session))
    for words in (["report"], ["dump"], ["ps"], ["ps", "--memory"]):
        there, done = run_bare([MPSAN, *words, session]), without([MPSAN, *words, session])
        assert (done.exit, done.out) == (there.exit, there.out), (words, there, done)


def check_doctor():
    done = without([MPSAN, "doctor"])
    assert done.exit == 1 and CURE in done.out, done


def check_masked():
    """As containers mask it: only processes are shown."""
    done = without([MPSAN, "run", "--", *WORK], mask="mount -t proc -o subset=pid none /proc")
    assert done.exit == 0 and CURE not in done.err and "seccomp" not in done.err, done


main({"run": check_run, "library": check_library, "no_session": check_no_session, "recorded": check_recorded,
      "doctor": check_doctor, "masked": check_masked})
