#!/usr/bin/env python3
"""Rules that speak in notes, which the expectations of programs leave free."""
# cases

import functools
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import find, main, need_module, run_mpsan, system_python, verdicts  # noqa: E402

START = "import os, threading, time\n{more}\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
FORK = "p = os.fork()\nif not p:\n    time.sleep(1.3)\n    os._exit(0)\nos.waitpid(p, 0)\n"
EXEC = "p = os.fork()\nif not p:\n    os.execl('/bin/sh', 'sh', '-c', 'sleep 1.3')\nos.waitpid(p, 0)\n"


def run(code, more=""):
    return run_mpsan([system_python(), "-c", START.format(more=more) + code]).report


def check_fires(slug, more=""):
    if more:
        need_module(system_python(), "torch")
    report = run(FORK, more)
    find(report, slug, "note")
    assert not verdicts(report), verdicts(report)


def check_late():
    """One thread forks once: a note; from the main thread it is none."""
    fork = "".join("    " + line for line in FORK.splitlines(keepends=True))
    late = run(f"def work():\n{fork}t = threading.Thread(target=work)\nt.start()\nt.join()\n")
    find(late, "fork-late", "note")
    assert not verdicts(late), verdicts(late)
    assert not [finding for finding in run(FORK)["findings"] if finding["rule"] == "fork-late"]


def check_importing():
    """The thread that forks is importing a module itself."""
    directory = tempfile.mkdtemp()
    Path(directory, "forks_at_import.py").write_text("import os, time\n" + FORK)
    report = run(f"import sys\nsys.path.insert(0, {directory!r})\nimport forks_at_import\n")
    find(report, "fork-during-import", "note")
    assert not verdicts(report), verdicts(report)


def check_silent(slug):
    """Silent when the child calls exec."""
    assert not [finding for finding in run(EXEC)["findings"] if finding["rule"] == slug]


def check_command(status, told):
    """A command fails while its parent does something else for longer than --hang-after; 1 may be its answer."""
    code = f"import subprocess\np = subprocess.Popen(['sh', '-c', 'exit {status}'])\ntime.sleep(4)\np.wait()\n"
    report = run_mpsan([system_python(), "-c", START.format(more="") + code], options=["--hang-after=2"]).report
    assert not verdicts(report), verdicts(report)
    if told:
        assert f"exited with status {status} " in find(report, "worker-failed", "note")["message"]
    else:
        assert not [finding for finding in report["findings"] if finding["rule"] == "worker-failed"]


main({"fork-late": check_late,
      "fork-during-import": check_importing,
      "fork-late-exec": functools.partial(check_silent, "fork-late"),
      "fork-threads": functools.partial(check_fires, "fork-threads"),
      "fork-threads-exec": functools.partial(check_silent, "fork-threads"),
      "fork-start-method": functools.partial(check_fires, "fork-start-method", "import torch"),
      "command-not-found": functools.partial(check_command, 127, True),
      "command-answers": functools.partial(check_command, 1, False)})
