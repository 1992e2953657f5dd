#!/usr/bin/env python3
"""A hang whose finding a suppression, a baseline or --rule silences: it hangs all the same, so --on-deadlock=kill ends it,
and one line says why and with which status."""
# cases

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, FINDINGS_EXIT, MPSAN, ROOT, main, run_bare, system_python  # noqa: E402

HANGS = BUILD / "tests/preload/fork/fork-orphaned-lock-mutex"
ABORTED = 128 + 6
PATIENCE_S = 40


def scratch(name, text):
    file = Path(tempfile.mkdtemp()) / name
    file.write_text(text)
    return file


def run(*options, command=(HANGS,)):
    """What it says as it kills, and the report."""
    report = scratch("report.json", "")
    done = run_bare([MPSAN, "run", "--no-conf", *options, "--report", "text=stderr", "--report", f"json={report}", "--", *command],
                    timeout=PATIENCE_S)
    said = [line for line in done.err.splitlines() if "killing the program" in line]
    return done, said, json.loads(report.read_text())


def check_suppressed():
    file = scratch("silent", "# known\nfork-orphaned-lock:*\n")
    done, said, report = run("--on-deadlock=kill", "--suppressions", file)
    assert done.exit == ABORTED, done
    assert len(said) == 1 and "fork-orphaned-lock" in said[0] and f"{file}:2 suppresses it" in said[0] and "own" in said[0], done.err
    assert not [one for one in report["findings"] if one["rule"] == "fork-orphaned-lock"], report["findings"]
    assert any(f"{file}:2" in limit and "killed" in limit for limit in report["limits"]), report["limits"]
    # its parent, which gets the signal, too, may return that of the child before
    assert report["exit"]["signal"] == 6 or report["exit"]["code"] == ABORTED, report["exit"]


def check_lowered():
    """A grade below error by --rule is no wish to hang, either."""
    for grade in ("off", "note", "warning"):
        done, said, report = run("--on-deadlock=kill", "--rule", f"fork-orphaned-lock={grade}")
        assert done.exit == ABORTED, done
        assert len(said) == 1 and "deadlock proved" in said[0] and f"its rule is set to {grade}" in said[0] and "own" in said[0], done.err
        told = [one["severity"] for one in report["findings"] if one["rule"] == "fork-orphaned-lock"]
        assert told == ([] if grade == "off" else [grade]), report["findings"]
        assert any(f"set to {grade}" in limit and "killed" in limit for limit in report["limits"]), report["limits"]
        assert "error: fork-orphaned-lock" not in done.err, done.err


def check_lowered_alone():
    """Without the option nothing kills it, and a warning is told at once."""
    done = run_bare([MPSAN, "run", "--no-conf", "--rule", "fork-orphaned-lock=warning", "--", "timeout", "-s", "KILL", "4", HANGS])
    assert done.exit == 137 and "killing" not in done.err and "inspect the hanging program" in done.err, done


def check_alone():
    """Without the option it hangs on, and nothing is said: that is what it was suppressed for."""
    file = scratch("silent", "fork-orphaned-lock:*\n")
    done = run_bare([MPSAN, "run", "--no-conf", "--suppressions", file, "--", "timeout", "-s", "KILL", "4", HANGS])
    assert done.exit == 137 and "error:" not in done.err, done


def check_spared():
    """A wait that gives up is spared by kill, and not by kill-hopeless."""
    file = scratch("silent", "self-deadlock:*\n")
    program = (system_python(), ROOT / "tests/preload/waits/self-deadlock-limit.py")
    done, said, _ = run("--on-deadlock=kill", "--suppressions", file, command=program)
    assert done.exit == 0 and not said and "self-deadlock" not in done.err, done
    done, said, _ = run("--on-deadlock=kill-hopeless", "--suppressions", file, command=program)
    assert done.exit == ABORTED and len(said) == 1 and "--on-deadlock=kill-hopeless" in said[0], done


def check_after_another():
    """The line about the kill comes, too, where an error was told before."""
    file = scratch("silent", "fork-orphaned-lock:*\n")
    script = f"{BUILD}/tests/preload/workers/worker-failed; exec {HANGS}"
    done, said, _ = run("--on-deadlock=kill", "--rule", "worker-failed=error", "--suppressions", file, command=("sh", "-c", script))
    assert done.exit == ABORTED and "mpsan: first error after" in done.err and len(said) == 1, done


def check_baseline():
    """The program fails although the finding is known, and the line says why."""
    file = Path(tempfile.mkdtemp()) / "baseline"
    done, said, _ = run("--on-deadlock=kill", "--write-baseline", file)
    assert done.exit == FINDINGS_EXIT and len(said) == 1 and "baseline" not in said[0], done
    done, said, report = run("--on-deadlock=kill", "--baseline", file, "--exit-code", "7")
    assert done.exit == 7 and len(said) == 1, done
    assert f"exit status 7 although the baseline {file} has it" in said[0], said
    assert [one["rule"] for one in report["findings"]] == ["fork-orphaned-lock"], report["findings"]


def check_near():
    """A suppression that misses says what it may have meant."""
    source = ("import threading\nclass Client:\n    lock = threading.Lock()\n    def ask(self):\n"
              "        with self.lock:\n            return self.lock.acquire(timeout=3)\nClient().ask()\n")
    program, file = scratch("client.py", source), scratch("silent", "hang:asks\nself-deadlock:ask\n*:Client.ask\n")
    _, _, report = run("--suppressions", file, command=(system_python(), program))
    unused = [limit for limit in report["limits"] if "unused" in limit]
    assert f"unused suppression: {file}:1 hang:asks" in unused, unused
    file.write_text("self-deadlock:ask\n")
    _, _, report = run("--suppressions", file, command=(system_python(), program))
    where = "ask" if sys.version_info < (3, 11) else "Client.ask"
    assert where == "ask" or f"unused suppression: {file}:1 self-deadlock:ask (did you mean Client.ask?)" in report["limits"], report


if __name__ == "__main__":
    main({name[6:].replace("_", "-"): case for name, case in list(globals().items()) if name.startswith("check_")})
