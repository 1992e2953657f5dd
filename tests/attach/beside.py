#!/usr/bin/env python3
"""py-spy dump, pystack remote and mpsan attach on the same ten hangs: beside.py [--py-spy PROGRAM] [--pystack PROGRAM] [-v]

The programs are started bare. For each the table has what a tool says of it, and for how long in all it stopped the
target's threads: how long one of them was in a tracing stop, sampled from /proc without a pause. Then a busy program
notes its longest gap while each tool looks at it. Exits with 77 without py-spy and pystack (pip install py-spy pystack).
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/lib"), str(ROOT / "tests/trial")]

import trial  # noqa: E402
from mpsantest import BUILD, MPSAN, system_python  # noqa: E402

SETTLE = 3  # seconds
HANGS = (
    "preload/waits/deadlock-cycle-locks.py", "preload/waits/deadlock-cycle-mutex.c", "preload/fork/fork-orphaned-lock.py",
    "preload/fork/fork-orphaned-lock-logging.py", "preload/waits/deadlock-cycle-join.py",
    "preload/workers/join-before-drain.py", "preload/workers/missing-sentinel.py", "preload/waits/self-deadlock-handler.py",
    "preload/waits/lock-owner-killed-exited.py", "preload/waits/deadlock-cycle-nested-submit.py",
)
BUSY = """import mmap, os, sys, time
page, last, worst = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 8), time.perf_counter(), 0.0
while True:
    now = time.perf_counter()
    if page[0]:
        page[0] = 0
        worst = 0.0
    elif now - last > worst:
        worst = now - last
        page[1:8] = int(worst * 1e6).to_bytes(7, 'little')
    last = now
"""


def processes_of(place, root):
    """Those of the program, its root first."""
    return sorted((int(pid) for pid in trial.owned_by(place, 0)), key=lambda pid: (pid != root, pid))


class Stops(threading.Thread):
    """How long threads of these processes were in a tracing stop."""

    def __init__(self, pids):
        super().__init__(daemon=True)
        self.files, self.stopped, self.over, self.samples = [], 0.0, False, 0
        for pid in pids:
            for task in Path(f"/proc/{pid}/task").iterdir():
                self.files.append(os.open(task / "stat", os.O_RDONLY))

    def run(self):
        before = time.perf_counter()
        while not self.over:
            stops = False
            for file in self.files:
                try:
                    text = os.pread(file, 256, 0)
                except OSError:
                    continue
                stops |= text[text.rindex(b")") + 2:text.rindex(b")") + 3] in (b"t", b"T")
            now = time.perf_counter()
            self.stopped += (now - before) if stops else 0
            self.samples += 1
            before = now
        for file in self.files:
            os.close(file)


def look(command):
    begin = time.monotonic()
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, errors="replace")
    return run, time.monotonic() - begin


def stacks_told(runs):
    """What a tool for stacks says: how many threads it shows, or its error."""
    threads = sum(run.stdout.count("Thread ") + run.stdout.count("Traceback for thread") for run in runs)
    wrong = [run for run in runs if run.returncode]
    said = f"{threads} stacks" if threads else "nothing"
    if wrong:
        line = (wrong[0].stderr.strip() or wrong[0].stdout.strip() or "?").splitlines()
        said += f"; {len(wrong)} of {len(runs)} processes: {line[-1][:60]}"
    return said


def measured(pids, command_of):
    """What a tool that takes one process says of all, and the time that it stopped them."""
    stops = Stops(pids)
    stops.start()
    runs, took = [], 0.0
    for pid in pids:
        run, seconds = look(command_of(pid))
        runs.append(run)
        took += seconds
    stops.over = True
    stops.join()
    return runs, took, 1000 * stops.stopped


def examine(name, tools, verbose):
    path = ROOT / "tests" / name
    command = [system_python(), path] if path.suffix == ".py" else [BUILD / "tests" / Path(name).with_suffix("")]
    with tempfile.TemporaryDirectory(prefix="mpsan-beside-") as place:
        program = subprocess.Popen([str(word) for word in command], cwd=place, stdin=subprocess.DEVNULL, start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, trial.MARK: place})
        try:
            time.sleep(SETTLE)
            if program.poll() is not None:
                print(f"  it had ended ({program.returncode})")
                return
            pids = processes_of(place, program.pid)
            for tool, command_of in tools.items():
                report = Path(place, "report.json")
                runs, took, stopped = measured(pids if tool != "mpsan" else [program.pid], lambda pid: command_of(pid, report))
                if tool == "mpsan":
                    read = json.loads(report.read_text())
                    said = read["triage"][0]["text"][:150]
                else:
                    said = stacks_told(runs)
                print(f"  {tool:8} {took:5.1f} s, stopped for {stopped:6.1f} ms  {said}", flush=True)
                if verbose:
                    print("".join(run.stdout + run.stderr for run in runs))
        finally:
            trial.send(list(trial.owned_by(place, 0)), signal.SIGKILL)
            program.kill()
            program.wait()


def gaps(tools):
    """The longest gap of a busy program: untouched, and while each tool looks at it, the least of five times."""
    with tempfile.TemporaryDirectory(prefix="mpsan-beside-") as place:
        page = Path(place, "page")
        page.write_bytes(bytes(8))
        busy = subprocess.Popen([system_python(), "-c", BUSY, page], start_new_session=True)
        try:
            time.sleep(1)
            for tool, command_of in {"nothing": lambda pid, report: ["sleep", "1"], **tools}.items():
                worst = []
                for _ in range(5):
                    with open(page, "r+b") as file:
                        file.write(b"\1")
                    time.sleep(0.05)
                    look(command_of(busy.pid, Path(place, "report.json")))
                    worst.append(int.from_bytes(page.read_bytes()[1:8], "little") / 1000)
                print(f"  {tool:8} longest gap of a busy thread: {min(worst):6.1f} to {max(worst):6.1f} ms", flush=True)
        finally:
            busy.kill()
            busy.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--py-spy", default=shutil.which("py-spy"))
    parser.add_argument("--pystack", default=shutil.which("pystack"))
    parser.add_argument("--gaps", action="store_true", help="only the busy program")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    if not options.py_spy or not options.pystack:
        print("skipped: pip install py-spy pystack, or name them")
        return 77
    tools = {"py-spy": lambda pid, report: [options.py_spy, "dump", "--pid", pid],
             "pystack": lambda pid, report: [options.pystack, "remote", pid],
             "mpsan": lambda pid, report: [MPSAN, "attach", "--no-conf", "--report", f"json={report}", pid]}
    for name in () if options.gaps else HANGS:
        print(name, flush=True)
        examine(name, tools, options.verbose)
    print("a busy thread", flush=True)
    gaps(tools)
    return 0


if __name__ == "__main__":
    sys.exit(main())
