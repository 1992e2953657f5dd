#!/usr/bin/env python3
"""A program that is asked to end and goes on, as in the very runs whose bug it is to swallow SIGTERM: SIGKILL of everything
comes next, so the reports are written before. And mpsan itself fails: signals are handed on, and the report says so."""
# cases

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, SLOW, kill_group, main, system_python  # noqa: E402

PATIENCE_S = 20
STATUS = 3
GOES_ON = "and the program goes on"
NOT_ENDED = "the program has not ended yet"
# The worker has its parent's handler of SIGTERM, so terminate() ends nothing; SIGUSR1 ends both.
PROGRAM = f"""
import multiprocessing, os, pathlib, signal, sys, time
asked = []
def on_term(number, frame):
    asked.append(number)
    pathlib.Path(sys.argv[1], signal.Signals(number).name).touch()
def serve():
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    pathlib.Path(sys.argv[1], "ready").touch()
    while True:
        time.sleep(0.1)
def on_usr1(number, frame):
    worker.kill()
    worker.join()
    os._exit({STATUS})
signal.signal(signal.SIGTERM, on_term)
signal.signal(signal.SIGINT, on_term)
signal.signal(signal.SIGUSR1, on_usr1)
worker = multiprocessing.get_context("fork").Process(target=serve, name="server")
worker.start()
worker.join()
"""
OBEYS = """
import pathlib, signal, sys, time
pathlib.Path(sys.argv[1], "ready").touch()
signal.pause()
"""


def until(condition, what):
    deadline = time.monotonic() + PATIENCE_S * SLOW
    while not condition():
        assert time.monotonic() < deadline, f"not within {PATIENCE_S * SLOW} s: {what}"
        time.sleep(0.02)


class Job:
    """A program under `mpsan run`, in a group of its own."""

    def __init__(self, where, program, options, **how):
        self.where, self.report = Path(where), Path(where, "report.json")
        Path(where, "program.py").write_text(program)
        with open(f"{where}/err", "w", encoding="utf-8") as err:
            self.process = subprocess.Popen(
                [MPSAN, "run", *options, "--", system_python(), f"{where}/program.py", where], stderr=err,
                env={**os.environ, "TMPDIR": where}, **{"stdin": subprocess.DEVNULL, "start_new_session": True, **how})
        until(self.where.joinpath("ready").exists, "start")

    def err(self):
        return Path(self.where, "err").read_text(encoding="utf-8")

    def ask(self, number=signal.SIGTERM):
        """Sends it to mpsan alone."""
        self.process.send_signal(number)

    def has_got(self, number):
        until(self.where.joinpath(signal.Signals(number).name).exists, f"{number} in the program")

    def read(self):
        return json.loads(self.report.read_text(encoding="utf-8"))

    def end(self):
        self.ask(signal.SIGUSR1)
        return self.process.wait(timeout=PATIENCE_S * SLOW)


@contextlib.contextmanager
def job(program=PROGRAM, options=None, **how):
    with tempfile.TemporaryDirectory() as where:
        started = Job(where, program, [f"--report=json={where}/report.json"] if options is None else
                      [option.replace("HERE", where) for option in options], **how)
        try:
            yield started
        finally:
            kill_group(started.process.pid)
            started.process.wait()


def places(report):
    """What each living process was shown to do."""
    return [(thread["waits_for"] or {}).get("at") or "" for process in report["picture"]
            for thread in process.get("threads") or ()]


def written_at_once():
    """Everything is killed as soon as the report is there."""
    with job() as it:
        it.ask()
        it.has_got(signal.SIGTERM)
        until(it.report.exists, "the report")
        kill_group(it.process.pid)
        it.process.wait()
        report, left = it.read(), sorted(path.name for path in it.where.iterdir() if "report" in path.name)
    assert any("after SIGTERM came" in limit and NOT_ENDED in limit for limit in report["limits"]), report["limits"]
    assert any("serve (program.py:" in place for place in places(report)), places(report)
    assert any("<module> (program.py:" in place for place in places(report)), places(report)
    assert report["exit"] == {"code": None, "signal": None} and left[0] == "report.json", (report["exit"], left)


def text_if_it_goes_on():
    with job(options=()) as it:
        it.ask()
        until(lambda: "mpsan: 0 errors" in it.err(), "the text")
        said = it.err()
        status = it.end()
        after = it.err()[len(said):]
    assert f"mpsan: SIGTERM came 2 s ago, {GOES_ON}; the report so far:" in said and NOT_ENDED in said, said
    assert "serve (program.py:" in said and "for the end of process" in said, said
    assert status == STATUS and GOES_ON not in after and NOT_ENDED not in after and "mpsan: 0 errors" in after, after


def rewritten_at_the_end():
    with job() as it:
        it.ask()
        until(it.report.exists, "the report")
        until(lambda: GOES_ON in it.err(), "the line")
        assert f"the report so far is in {it.report}" in it.err(), it.err()
        status, report = it.end(), it.read()
        left = [path.name for path in it.where.iterdir() if path.name.endswith(".tmp")]
    assert status == STATUS and report["exit"]["code"] == STATUS and "picture" not in report, report["exit"]
    assert not any(NOT_ENDED in limit for limit in report["limits"]) and not left, (report["limits"], left)


def all_are_named():
    with job(options=["--report=json=HERE/report.json", "--report=text=HERE/report.txt", "--report=html=HERE/report.html"]) as it:
        it.ask()
        until(lambda: GOES_ON in it.err(), "the line")
        named = ", ".join(f"{it.where}/report.{what}" for what in ("json", "txt", "html"))
        assert f"the report so far is in {named}\n" in it.err(), it.err()
        it.end()


def silent_if_it_obeys():
    for options in ((), None):
        with job(OBEYS, options) as it:
            it.ask()
            assert it.process.wait(timeout=PATIENCE_S * SLOW) == 128 + signal.SIGTERM
            assert GOES_ON not in it.err() and NOT_ENDED not in it.err(), it.err()
            if options is None:
                assert it.read()["exit"]["signal"] == signal.SIGTERM and "picture" not in it.read()


def interrupted():
    """SIGINT is a terminal's, which the program gets by itself: it is noticed, and not handed on."""
    with job() as it:
        it.ask(signal.SIGINT)
        until(it.report.exists, "the report")
        assert not it.where.joinpath("SIGINT").exists() and it.end() == STATUS


def key_pressed():
    """Somebody sits at the terminal: one line if the program goes on, which is not the report."""
    lead, follow = os.openpty()
    with job(options=(), stdin=follow, stdout=follow,
             preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0)) as it:
        os.write(lead, b"\x03")
        it.has_got(signal.SIGINT)
        until(lambda: GOES_ON in it.err(), "the line")
        assert "mpsan ps " in it.err() and it.end() == STATUS
        assert it.err().count(GOES_ON) == 1 and NOT_ENDED not in it.err(), it.err()
    os.close(lead)
    os.close(follow)


def kept_session():
    with job(options=("--dir", "HERE/session")) as it:
        it.ask()
        it.has_got(signal.SIGTERM)
        kill_group(it.process.pid)
        it.process.wait()
        done = subprocess.run([MPSAN, "report", f"--report=json={it.report}", it.where / "session"], check=False)
        report = it.read()
    assert done.returncode == 0 and len(report["processes"]) == 2, report["processes"]
    assert any("mpsan was killed" in limit and "SIGTERM" in limit for limit in report["limits"]), report["limits"]


def failed():
    """A crash of mpsan: the program gets its signals, and the report says what was not looked at."""
    for options, text in ((None, False), (("--report=json=HERE/report.json", "--report=text=stderr"), True)):
        with job(options=options) as it:
            it.ask(signal.SIGSEGV)
            until(lambda it=it: "mpsan itself has failed (signal 11)" in it.err(), "the line")
            it.ask()
            it.has_got(signal.SIGTERM)
            status, report = it.end(), it.read()
            left = list(it.where.glob("mpsan-*/*"))
            assert ("mpsan: limit: mpsan itself failed (signal 11)" in it.err()) == text, it.err()
        said = [limit for limit in report["limits"] if "mpsan itself failed (signal 11)" in limit]
        assert status == STATUS and len(said) == 1 and "were not looked at after that" in said[0], report["limits"]
        assert len(report["processes"]) == 2 and not left, (report["processes"], left)


main({
    "at-once": written_at_once,
    "text": text_if_it_goes_on,
    "rewritten": rewritten_at_the_end,
    "all-named": all_are_named,
    "silent-obeys": silent_if_it_obeys,
    "interrupted": interrupted,
    "key": key_pressed,
    "kept-session": kept_session,
    "failed": failed,
})
