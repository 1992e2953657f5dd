#!/usr/bin/env python3
"""The line that mpsan run prints at the first error: once, wherever the report goes; test_alert_time.py: at once."""
# cases

import contextlib
import select
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import scratch  # noqa: E402
from mpsantest import BUILD, MPSAN, ROOT, kill_group, main, run_bare, system_python  # noqa: E402

AFTER_WAIT = 2.5  # seconds; a proof itself waits until the wait has lasted for half a second


def program(name):
    return BUILD / "tests/preload" / name


@contextlib.contextmanager
def running(*options, name="fork/fork-orphaned-lock-mutex"):
    process = subprocess.Popen([MPSAN, "run", *options, "--", program(name)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    try:
        yield process
    finally:
        kill_group(process.pid)
        process.communicate()


def alerts(text):
    return [line for line in text.splitlines() if line.startswith(("mpsan: deadlock proved", "mpsan: first error"))]


def check_once():
    """Before the story, where that is printed at once; the same for every way to say where reports go and what fails."""
    for options in ((), ("--fail-on", "never"), ("--report", "text=stderr"), ("--report", f"json={scratch('report.json')}"), ("--report", "text=-"),
                    ("--report", f"text={scratch('report.txt')}")):
        run = run_bare([MPSAN, "run", "--on-deadlock=kill", *options, "--", program("fork/fork-orphaned-lock-mutex")])
        assert run.exit == 66, run
        assert len(alerts(run.err)) == 1 and "killing the program" in alerts(run.err)[0], (options, run.err)
        story = "mpsan: error: fork-orphaned-lock" in run.err
        assert story == ("text=stderr" in options or not any(word.startswith("text") for word in options)), (options, run.err)
        assert run.err.count("mpsan: error: fork-orphaned-lock") == story, (options, run.err)
        assert not story or run.err.index("deadlock proved") < run.err.index("mpsan: error:"), run.err


def check_quiet():
    """Nothing for warnings, nor for what was suppressed or is graded down."""
    suppressions = scratch("suppressions")
    suppressions.write_text("fork-orphaned-lock:*\n")
    run = run_bare([MPSAN, "run", "--", program("fork/fork-lock-held-child-lives")])
    assert "warning: fork-lock-held" in run.err and not alerts(run.err), run.err
    for options in (("--suppressions", suppressions), ("--rule", "fork-orphaned-lock=warning")):
        with running("--report", "text=/dev/null", *options) as process:
            ready = select.select([process.stderr], [], [], AFTER_WAIT)[0]
            assert not ready, process.stderr.readline()


def check_hopeless():
    """A wait that gives up is no deadlock, and the line says so."""
    run = run_bare([MPSAN, "run", "--report", "text=/dev/null", "--", system_python(),
                    ROOT / "tests/preload/waits/self-deadlock-limit.py"])
    assert "mpsan: hopeless wait proved after " in run.err and "and gives up after 6 s" in run.err, run.err
    assert "deadlock proved" not in run.err and "kill-hopeless" not in run.err, run.err


def check_spared():
    """--on-deadlock=kill waits for such an end, and names what does not."""
    run = run_bare([MPSAN, "run", "--on-deadlock=kill", "--report", "text=/dev/null", "--", system_python(),
                    ROOT / "tests/preload/waits/self-deadlock-limit.py"])
    assert "not killed, as something will end it (--on-deadlock=kill-hopeless kills it at once)" in run.err, run.err


def check_no_wait():
    """An error that is no hang: by that name, and nothing to look at."""
    run = run_bare([MPSAN, "run", "--rule", "worker-failed=error", "--report", "text=/dev/null", "--",
                    program("workers/worker-failed")])
    lines = alerts(run.err)
    assert len(lines) == 1 and lines[0].startswith("mpsan: first error after "), run.err
    assert "mpsan ps" not in run.err and "\n  → " in run.err, run.err


if __name__ == "__main__":
    main({name[6:]: case for name, case in list(globals().items()) if name.startswith("check_")})
