#!/usr/bin/env python3
"""mpsan attach, and ps and top with a PID: programs that were started bare, hanging and healthy ones, and wrong uses."""
# cases

import concurrent.futures
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, MPSAN, ROOT, Skip, kill_group, main, other_pythons, system_python  # noqa: E402

PRELOAD = ROOT / "tests/preload"


@contextlib.contextmanager
def started(*command):
    """A program in a group of its own."""
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield process
    finally:
        kill_group(process.pid)
        process.wait()


def attach(*words, timeout=60):
    run = subprocess.run([str(word) for word in (MPSAN, "attach", "--no-conf", *words)], capture_output=True, text=True,
                         timeout=timeout)
    return run.returncode, run.stdout, run.stderr


def report(pid, *words):
    """The exit status and the JSON report."""
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        file = Path(place, "report.json")
        status, _, err = attach("--report", f"json={file}", *words, pid)
        assert file.exists(), err
        return status, json.loads(file.read_text())


def found(process, rule):
    """The report of the first look that tells the rule; the time limit of tests ends this."""
    while True:
        status, read = report(process.pid)
        ours = [finding for finding in read["findings"] if finding["rule"] == rule]
        loud = [finding["rule"] for finding in read["findings"] if finding["severity"] != "note"]
        assert set(loud) <= {rule}, loud
        if ours:
            assert status == 66
            return ours[0], read
        time.sleep(0.1)


def words_of(finding):
    return " ".join([finding["message"], *(step["what"] for step in finding["evidence"])])


def check_mutex():
    with started(BUILD / "tests/preload/waits/deadlock-cycle-mutex") as process:
        finding, _ = found(process, "deadlock-cycle")
        assert "held by" in words_of(finding), finding


def check_python_locks():
    """Owners of Python's locks are known from their with blocks, names from the waiting frames."""
    source = ("import threading\na, b, both = threading.Lock(), threading.Lock(), threading.Barrier(2)\n"
              "def one():\n    with a:\n        both.wait()\n        with b: pass\n"
              "def two():\n    with b:\n        both.wait()\n        with a: pass\n"
              "threading.Thread(target=one, name='one').start()\ntwo()\n")
    for python in {"": system_python(), **other_pythons()}.values():
        with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
            Path(place, "code.py").write_text(source)
            with started(python, Path(place, "code.py")) as process:
                text = words_of(found(process, "deadlock-cycle")[0])
        assert 'Lock "a" (code.py, global), held by' in text and 'Lock "b" (code.py, global), held by' in text, text
        assert "taken at one (code.py:4)" in text and "taken at two (code.py:8)" in text, text


def check_relocked():
    """A process that never had a second thread holds what it waits for, whatever the lock itself tells."""
    for process, where in (started(system_python(), PRELOAD / "waits/self-deadlock-lock.py"), "take_twice"), \
                          (started(BUILD / "tests/preload/waits/self-deadlock-upgrade"), ""):
        with process as hung:
            finding, _ = found(hung, "self-deadlock")
            assert "which it already holds" in words_of(finding) and where in words_of(finding), finding


def check_gil():
    """Who waits for the GIL wakes up every 5 ms, and stands still in no two looks."""
    for python in {"": system_python(), **other_pythons()}.values():
        with started(python, PRELOAD / "waits/deadlock-cycle-gil-mutex.py") as process:
            words = words_of(found(process, "deadlock-cycle")[0])
        assert "waits for the GIL, held by" in words, words


def check_gil_busy():
    """One thread computes and keeps the GIL for seconds, in C; others want it, and one waits for a mutex of theirs."""
    source = ("import re, threading\nlock = threading.Lock()\n"
              "def match():\n    with lock:\n        re.match('(a*)*b', 'a' * 26)\n"
              "def want():\n    with lock: pass\n"
              "threads = [threading.Thread(target=match), threading.Thread(target=want), threading.Thread(target=len, args=('',))]\n"
              "[thread.start() for thread in threads]\n[thread.join() for thread in threads]\n")
    with started(system_python(), "-c", source) as process:
        status, read = report(process.pid)
        assert status == 0 and not [one for one in read["findings"] if one["severity"] != "note"], read["findings"]


def check_fork_mutex():
    with started(BUILD / "tests/preload/fork/fork-orphaned-lock-mutex") as process:
        finding, _ = found(process, "fork-orphaned-lock")
        assert "exists only in the parent" in finding["message"], finding


def check_fork_python():
    with started(system_python(), PRELOAD / "fork/fork-orphaned-lock.py") as process:
        finding, read = found(process, "fork-orphaned-lock")
        assert {child["how"] for child in read["processes"]} == {"root", "fork"}, read["processes"]
        assert re.search(r'Lock ".*" .*held it, taken at ', finding["message"]), finding["message"]


def check_fork_rlock_owner():
    with started(system_python(), PRELOAD / "fork/fork-orphaned-lock-rlock.py") as process:
        found(process, "fork-orphaned-lock")


def check_fork_wakeup():
    with started(BUILD / "tests/preload/fork/fork-lost-wakeup-cond") as process:
        found(process, "fork-lost-wakeup")


def check_idle():
    """What is meant to be idle is shown, and no error; that it lasts for ever is not said."""
    source = ("import multiprocessing, queue, threading\njobs, local = multiprocessing.Queue(), queue.Queue()\n"
              "def work():\n    while True: jobs.get()\n"
              "for i in range(2): multiprocessing.Process(target=work, daemon=True).start()\n"
              "threading.Thread(target=local.get, name='feeder').start()\nthreading.Event().wait()\n")
    with started(system_python(), "-c", source) as process:
        text = ""
        while text.count(" waits (") < 4:
            status, text, _ = attach(process.pid)
            assert status == 0 and not any(word in text for word in ("error:", "warning:", "forever")), text
            time.sleep(0.1)
        assert "an item of a queue.Queue" in text and "an item of a multiprocessing.Queue" in text, text


def check_limited():
    """A program that waits with a limit is told nothing, and goes on undisturbed."""
    with started("sleep", "60") as process:
        status, read = report(process.pid)
        assert status == 0 and not read["findings"] and process.poll() is None, read["findings"]


def check_busy():
    """One that runs is told nothing, and never stopped: it has no tracer, and its state stays what it was."""
    with started(system_python(), "-c", "while True: pass") as process, concurrent.futures.ThreadPoolExecutor() as pool:
        looking = pool.submit(report, process.pid)
        seen = set()
        while not looking.done():
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
            seen |= {line for line in lines if line.startswith(("TracerPid", "State"))}
            time.sleep(0.0002)
        status, read = looking.result()
        assert status == 0 and not read["findings"] and process.poll() is None, read["findings"]
        assert not any(line.startswith("State:\tt") or line.startswith("State:\tT") for line in seen), seen
        assert {line for line in seen if line.startswith("TracerPid")} == {"TracerPid:\t0"}, seen


def check_tree():
    """The whole program is found from any of its processes; --tree keeps to what descends from one."""
    with started(system_python(), PRELOAD / "fork/fork-orphaned-lock.py") as process:
        children = []
        while not children:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        _, whole = report(children[0])
        _, part = report(children[0], "--tree")
    assert process.pid in {one["pid"] for one in whole["processes"]}, whole["processes"]
    assert [str(one["pid"]) for one in part["processes"]] == children[:1], part["processes"]


def check_name():
    mark = f"mpsan-test-{os.getpid()}"
    with started("sleep", "60") as bare, started(system_python(), "-c", f"input() if '{mark}' == 0 else __import__('time').sleep(60)") as named:
        status, out, err = attach("--name", mark, "--report", "json=-")
        assert status == 0, err
        assert {one["pid"] for one in json.loads(out)["processes"]} == {named.pid} != {bare.pid}
    # who was told to start mpsan has the name in its own command line
    run = subprocess.run(["timeout", "60", "sh", "-c", f"'{MPSAN}' attach --no-conf --name {mark}; exit $?"],
                         capture_output=True, text=True)
    assert run.returncode == 2 and "no process has" in run.stderr, run.stderr


def check_dir():
    """A session that was kept is reported on after the program's end."""
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        with started(BUILD / "tests/preload/waits/deadlock-cycle-mutex") as process:
            found(process, "deadlock-cycle")
            status, _, err = attach("--dir", Path(place, "kept"), process.pid)
            assert status == 66, err
        again = subprocess.run([MPSAN, "report", "--no-conf", Path(place, "kept")], capture_output=True, text=True)
    assert again.returncode == 66 and "deadlock-cycle" in again.stdout and "held by" in again.stdout and not again.stderr, again


def check_ps_top():
    with started(BUILD / "tests/preload/waits/deadlock-cycle-mutex") as process:
        found(process, "deadlock-cycle")
        ps = subprocess.run([MPSAN, "ps", str(process.pid)], capture_output=True, text=True)
        assert ps.returncode == 0 and "started without mpsan: 1 process" in ps.stdout and "held by" in ps.stdout, ps
        top = subprocess.run([MPSAN, "top", "--once", str(process.pid)], capture_output=True, text=True)
        assert top.returncode == 0 and "held by" in top.stdout, top


def check_watch():
    """--watch goes on until the program has ended."""
    with started("sleep", "60") as process:
        watching = subprocess.Popen([str(MPSAN), "attach", "--no-conf", "--watch", str(process.pid)],
                                    stdout=subprocess.PIPE, text=True)
        begin = time.monotonic()
        with contextlib.suppress(subprocess.TimeoutExpired):
            watching.wait(4)  # longer than a look takes
        assert watching.poll() is None and time.monotonic() - begin >= 4
        process.kill()
        process.wait()
        text = watching.communicate(timeout=20)[0]
    assert watching.returncode == 0 and "0 errors" in text, text


def check_watch_ended():
    """A finding is told as it is proved, and all are reported where --watch is ended; a healthy program has none."""
    for command, rule in ((BUILD / "tests/preload/waits/deadlock-cycle-mutex",), "deadlock-cycle"), (("sleep", "60"), None):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            with started(*command) as process:
                watching = subprocess.Popen([str(MPSAN), "attach", "--no-conf", "--watch", str(process.pid)], text=True,
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
                told = watching.stderr.readline() if rule else time.sleep(3)
                watching.send_signal(number)
                out, err = watching.communicate(timeout=20)
            if rule:
                assert watching.returncode == 66 and f"mpsan: error: {rule}: " in told and f"error: {rule}" in out, (told, out, err)
            else:
                assert watching.returncode == 0 and "0 errors" in out and not err, (out, err)


def check_wrong():
    ended = subprocess.Popen(["true"])
    ended.wait()
    for words, line in ((["x"], "is no PID"), (["0"], "is no PID"), ([str(2 ** 40)], "is no PID"), ([], "missing PID"),
                        ([ended.pid], "there is no process"), (["--name", "no such program"], "no process has"),
                        (["--name", ""], "expected"), (["--on-deadlock=kill", os.getpid()], "unknown option")):
        status, out, err = attach(*words)
        assert status == 2 and not out and len(err.splitlines()) == 1 and line in err, (words, err)


def check_descriptors():
    """Without descriptors nothing could be read: one line says so. With a few more all is well."""
    for limit, status in (5, 2), (9, 66):
        with started(BUILD / "tests/preload/waits/deadlock-cycle-mutex") as process:
            time.sleep(1)
            for command in "attach", "ps", "top --once":
                run = subprocess.run(["sh", "-c", f"ulimit -n {limit}; exec {MPSAN} {command} {process.pid}"], capture_output=True,
                                     text=True, timeout=60)
                assert run.returncode == (status if status == 2 or command == "attach" else 0), run
                assert ("too few descriptors" in run.stderr) == (status == 2) and len(run.stderr.splitlines()) <= 1, run


def check_other_user():
    """Without the right to trace, one line says what is missing."""
    if os.geteuid():
        raise Skip("needs root")
    with started("sleep", "60") as process:
        with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
            os.chmod(place, 0o777)
            run = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", MPSAN, "attach", "--no-conf",
                                  str(process.pid)], capture_output=True, text=True, env={**os.environ, "TMPDIR": place}, cwd="/")
    assert run.returncode == 2 and "may not be examined" in run.stderr and "as root" in run.stderr, run.stderr


def check_ends_meanwhile():
    """A process that ends while it is looked at is no crash."""
    with started("sh", "-c", "while :; do sleep 0.01 & sh -c 'exec true'; sleep 0.01; done") as process:
        status, _, err = attach(process.pid)
        assert status == 0, err
        os.killpg(process.pid, signal.SIGKILL)


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
