#!/usr/bin/env python3
"""Where text goes: what attach, report and check were asked for to standard output, what run says beside a program to standard error."""
# cases

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import preload, scratch  # noqa: E402
from mpsantest import BUILD, MPSAN, kill_group, main, run_bare  # noqa: E402

HANGS = BUILD / "tests/preload/waits/deadlock-cycle-mutex"
SUMMARY = "mpsan: 0 errors, 0 warnings"


def record():
    place = scratch("session")
    assert run_bare(["/bin/true"], env=preload(session=place)).exit == 0
    return place


@contextlib.contextmanager
def hanging(*before):
    process = subprocess.Popen([*before, HANGS], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        yield str(process.pid)
    finally:
        kill_group(process.pid)
        process.wait()


def check_recorded():
    session, baseline = record(), scratch("baseline")
    baseline.write_text("# nothing yet\n")
    for words in (["report"], ["check", "--baseline", baseline]):
        run = run_bare([MPSAN, *words, session])
        assert (run.exit, run.err) == (0, "") and SUMMARY in run.out, run
        run = run_bare([MPSAN, *words, "--report", "text=stderr", session])
        assert (run.exit, run.out) == (0, "") and SUMMARY in run.err, run
        run = run_bare([MPSAN, *words, "/nothing/there"])
        assert (run.exit, run.out) == (2, "") and run.err.count("\n") == 1, run


def check_attach():
    with hanging() as pid:
        run = run_bare([MPSAN, "attach", "--no-conf", pid])
    assert run.exit in (0, 66) and not run.err and "mpsan: 1 error" in run.out + run.err, run


def check_attach_watched():
    """Of a program that runs under mpsan the report and the picture; which session it is, is no part of them."""
    place = scratch("session")
    process = subprocess.Popen([MPSAN, "run", "--dir", place, "--", "sh", "-c", "echo $$; exec sleep 60"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    try:
        pid = process.stdout.readline().strip()
        run = run_bare([MPSAN, "attach", "--no-conf", pid])
    finally:
        kill_group(process.pid)
        process.communicate()
    assert run.exit == 0 and run.err.count("\n") == 1 and f"process {pid} runs under mpsan" in run.err, run
    assert SUMMARY in run.out and "sleep" in run.out, run


def check_run():
    """The program's output stays its own."""
    run = run_bare([MPSAN, "run", "--no-conf", "--", "echo", "mine"])
    assert (run.exit, run.out) == (0, "mine\n") and SUMMARY in run.err, run


def closed_early(*words, env=None):
    """A command whose reader has gone before it writes."""
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run([MPSAN, *words], env=env, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writing)
    return run.returncode, run.stderr


def check_head():
    """`| head -1` is no error, the status is what was found, and no session stays behind."""
    session = record()
    for words in (["report"], ["report", "--report", "text=-"], ["check", "--baseline", "/dev/null"]):
        status, err = closed_early(*words, session)
        assert (status, err) == (0, ""), (words, status, err)
    with hanging() as pid, tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        env = {**os.environ, "TMPDIR": place}
        for words in (["attach", "--no-conf"], ["ps"], ["top", "--once"]):
            status, err = closed_early(*words, pid, env=env)
            assert status in (0, 66, -13) and err == "", (words, status, err)
            left = [path for path in Path(place).rglob("*") if path.name == "session"]
            assert not left, (words, left)


def check_closed():
    """A standard output that is closed is said in one line."""
    session = record()
    for words in (f"report {session}", f"check --baseline /dev/null {session}", "list rules", "--version", "help", "help ci", "explain hang",
                  f"ps {session}", f"dump {session}", "env", "doctor"):
        run = run_bare(["sh", "-c", f"exec {MPSAN} {words} >&-"])
        assert run.exit == 2 and run.err.count("\n") == 1 and "standard output" in run.err, (words, run)


if __name__ == "__main__":
    main({name[6:].replace("_", "-"): case for name, case in list(globals().items()) if name.startswith("check_")})
