#!/usr/bin/env python3
"""The Python package from its sources, with the command of the build: names of locks, findings and device memory, under mpsan
and without it."""
# cases

import functools
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, ROOT, fake_environment, main, run_bare, run_mpsan, system_python  # noqa: E402

HERE = Path(__file__).resolve().parent
SOURCES = ROOT / "tools/python"
ENVIRONMENT = {"PYTHONPATH": str(SOURCES), "MPSAN": str(MPSAN)}
ASK = """
import mpsan, threading
lock = threading.Lock()
print(mpsan.active(), mpsan.session(), mpsan.name(lock, "cache"), mpsan.findings(), mpsan.ipc.export(1, "a"), mpsan.ipc.find("a"),
      mpsan.ipc.find(1, 2), mpsan.ipc.open("a"))
"""
FORK_BESIDE_OWNER = """
import mpsan, os, threading
assert mpsan.active() and mpsan.findings() == []
lock, taken, done = threading.Lock(), threading.Event(), threading.Event()
mpsan.name(lock, "prices")
def own():
    with lock:
        taken.set()
        done.wait()
owner = threading.Thread(target=own)
owner.start()
taken.wait()
if not os.fork():
    os._exit(0)
os.wait()
found = mpsan.findings("note")
assert not mpsan.findings("error")
print(mpsan.session())
print(*sorted(finding.rule for finding in found))
print(*(finding for finding in found if finding.rule == "fork-lock-held"))
done.set()
owner.join()
"""


def check_without():
    """Every call returns what says so, and one warning says why."""
    run = run_bare([system_python(), "-c", ASK], env=ENVIRONMENT)
    assert (run.exit, run.out) == (0, "False None False [] False None None None\n"), run
    assert run.err.count("NotLoadedWarning: mpsan.session() does nothing: libmpsan.so is not loaded") == 1, run.err
    quiet = run_bare([system_python(), "-W", "error", "-c", "import mpsan; print(mpsan.active(), mpsan.name(5, 'cache'))"], env=ENVIRONMENT)
    assert (quiet.exit, quiet.out, quiet.err) == (0, "False False\n", ""), quiet


def check_wrong():
    """A wrong argument is an error under mpsan and without it."""
    code = """
import mpsan, threading
for call in (lambda: mpsan.name(threading.Lock(), 5), lambda: mpsan.findings("bogus")):
    try:
        call()
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
"""
    bare, watched = (run([system_python(), "-c", code], env=ENVIRONMENT) for run in (run_bare, run_mpsan))
    assert bare.out == watched.out and re.fullmatch(r"TypeError .* not int\nValueError 'bogus' is no severity: .*\n", bare.out), bare


def check_findings():
    run = run_mpsan([system_python(), "-c", FORK_BESIDE_OWNER], env=ENVIRONMENT)
    session, rules, story = run.out.split("\n", 2)
    assert run.exit == 0 and Path(session).name.endswith(".run") and rules == "fork-lock-held fork-threads", run
    assert re.match(r'mpsan: note: fork-lock-held: "Thread-\d.*" held Python lock "prices".*\n', story), story
    assert not run.report["limits"], run.report["limits"]


def check_name(kind):
    """In place of the variable; a name that another lock had at this address is gone with that lock."""
    run = run_mpsan([system_python(), HERE / "named.py", kind], ["--on-deadlock=kill"], env=ENVIRONMENT)
    (finding,) = [finding for finding in run.report["findings"] if finding["severity"] == "error"]
    assert "gone" not in finding["message"], finding["message"]
    assert kind == "semaphore" or f'"the \'{kind}\'"' in finding["message"], finding["message"]


def check_ipc():
    """On the stand-in for CUDA: two processes, one name."""
    environment = fake_environment(["cuda"])
    environment["PYTHONPATH"] += f":{SOURCES}"
    run = run_mpsan([system_python(), HERE / "ipc_pair.py"], env={**ENVIRONMENT, **environment})
    assert run.exit == 0, run
    lines = run.out.splitlines()
    assert lines[0] == "FileNotFoundError TypeError", run.out
    assert re.fullmatch(r"<mpsan.ipc.Memory 'weights' of PID \d+, float32\[2, 3, 4\]> \(\d+,\)", lines[1]), run.out
    assert lines[2] == "ValueError ProcessLookupError ValueError TypeError", run.out


def check_command():
    """python -m mpsan is the command, with its exit status; without a command one line says what to do."""
    run = run_bare([system_python(), "-m", "mpsan", "--version"], env=ENVIRONMENT)
    assert (run.exit, run.out) == (0, run_bare([MPSAN, "--version"]).out), run
    assert run_bare([system_python(), "-m", "mpsan", "run", "--", "sh", "-c", "exit 3"], env=ENVIRONMENT).exit == 3
    run = run_bare([system_python(), "-m", "mpsan", "list"], env={**ENVIRONMENT, "MPSAN": "", "PATH": "/nowhere"})
    assert run.exit == 1 and run.err.count("\n") == 1 and "install the wheel with pip" in run.err, run


def check_types():
    """Each public name is annotated: what py.typed promises."""
    code = ("import inspect, mpsan, mpsan.ipc as ipc\n"
            "calls = [getattr(m, n) for m in (mpsan, ipc) for n in m.__all__ if inspect.isfunction(getattr(m, n))]\n"
            "print(len(calls), [c.__name__ for c in calls if set(inspect.signature(c).parameters) | {'return'} != set(c.__annotations__)])")
    run = run_bare([system_python(), "-c", code], env=ENVIRONMENT)
    assert run.out == "7 []\n" and (SOURCES / "mpsan/py.typed").exists(), run


main({"without": check_without, "wrong": check_wrong, "findings": check_findings, "ipc": check_ipc, "command": check_command, "types": check_types,
      **{f"name_{kind}": functools.partial(check_name, kind)
         for kind in ("lock", "rlock", "semaphore", "queue", "condition", "shared", "shared_rlock", "shared_condition")}})
