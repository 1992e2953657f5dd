#!/usr/bin/env python3
"""A program that is ended from outside while it waits: the report says what for, as a note of hang. Nothing is said of
one that was parked on purpose, nor of a wait that was short."""
# cases

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, kill_group, main, system_python  # noqa: E402

WAITED_S = 7.5  # a wait is kept after 5
START = """
import os, queue, signal, sys, threading, time
def tick():
    while True:
        time.sleep(0.2)
ticker = threading.Thread(target=tick, name="ticker", daemon=True)
ticker.start()
Path = __import__("pathlib").Path
def ready():
    Path(sys.argv[1]).write_text(str(os.getpid()))
"""
LOST = START + """
tasks = queue.Queue()
threading.Thread(target=tasks.put, args=(1,)).start()
ready()
while True:
    tasks.get()
"""
PRODUCED = START + """
tasks = queue.Queue()
def produce():
    time.sleep(3600)
    tasks.put(1)
threading.Thread(target=produce, name="producer", daemon=True).start()
ready()
tasks.get()
"""
MOVED = START + """
tasks = queue.Queue()
def produce():
    time.sleep(6.5)
    Path(sys.argv[1]).touch()
    time.sleep(3600)
    tasks.put(1)
threading.Thread(target=produce, name="producer", daemon=True).start()
ready()
tasks.get()
"""
RETIRED = START + """
event = threading.Event()
def work():
    for i in range(7):
        time.sleep(1)
threading.Thread(target=work, name="retired").start()
ready()
event.wait()
"""
TAKEN_TWICE = START + """
lock = threading.Lock()
ready()
with lock:
    with lock:
        pass
"""
PARKED = START.replace("ticker.start()\n", "") + "ready()\nqueue.Queue().get()\n"
HANDLED = START + """
signals = queue.SimpleQueue()
signal.signal(signal.SIGTERM, lambda number, frame: signals.put(number))
ready()
sys.exit(signals.get() != signal.SIGTERM)
"""
# a worker is stuck for ever; the main thread, beside its ticker, waits for what that one was to send
CONSEQUENCE = START + """
import multiprocessing
def work(results):
    lock = threading.Lock()
    with lock:
        with lock:
            results.put(1)
context = multiprocessing.get_context("fork")
results = context.Queue()
context.Process(target=work, args=(results,), daemon=True).start()
ready()
results.get()
"""
# a parent of processes: the last of them sleeps once, or again and again for something that never comes
PARENT = START + """
import subprocess
ready()
subprocess.run(["sh", "-c", "sleep 600; true"])
"""
PARENT_OF_TICKER = START + """
import subprocess
ready()
subprocess.run([sys.executable, "-c", "import time\\nwhile True: time.sleep(0.2)"])
"""
PAUSED = START + "ready()\nsignal.pause()\n"


def run(program, number, wait_s=WAITED_S, to_program=False, before=()):
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "program.py").write_text(program)
        process = subprocess.Popen(
            [MPSAN, "run", "--report", f"json={directory}/report.json", "--", *before, system_python(),
             f"{directory}/program.py", f"{directory}/ready"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        try:
            while not Path(directory, "ready").exists():
                time.sleep(0.05)
            time.sleep(wait_s)
            if number:
                os.kill(int(Path(directory, "ready").read_text()) if to_program else process.pid, number)
            process.wait(timeout=20)
        finally:
            kill_group(process.pid)
            process.wait()
        report = json.loads(Path(directory, "report.json").read_text())
    return [finding for finding in report["findings"] if finding["rule"] == "hang"]


def told(number, **how):
    found = run(LOST, number, **how)
    assert len(found) == 1 and found[0]["severity"] == "note", found
    message = found[0]["message"]
    assert f"when {signal.Signals(number or signal.SIGTERM).name} came" in message, message
    assert "the main thread of process" in message and "(program.py:" in message, message


def told_producer():
    found = run(PRODUCED, signal.SIGKILL, to_program=True)
    assert len(found) == 1 and found[0]["severity"] == "note", found
    ended = found[0]["message"].partition("what could have ended it: ")[2]
    assert 'thread "producer"' in ended and "at produce (program.py:" in ended, found[0]["message"]


def told_moved():
    """Where who could have ended the wait stands in the end, not where it stood when the picture was taken."""
    found = run(MOVED, signal.SIGTERM, wait_s=9.5)
    line = 1 + MOVED.splitlines().index("    time.sleep(3600)")
    assert len(found) == 1 and f"at produce (program.py:{line})" in found[0]["message"], found


def told_ticker():
    found = run(PARENT_OF_TICKER, signal.SIGTERM, wait_s=9)
    assert len(found) == 1 and found[0]["severity"] == "note", found
    assert "waits for the end of process" in found[0]["message"], found[0]["message"]


def told_without_retired():
    """A thread that has ended since the picture was taken could not have ended the wait."""
    found = run(RETIRED, signal.SIGTERM, wait_s=10)
    assert len(found) == 1 and 'thread "ticker"' in found[0]["message"], found
    assert "retired" not in found[0]["message"], found[0]["message"]


def lost_supervisor(program, rule, severity, says):
    """The program and mpsan are killed together: the later report has what the log kept."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "program.py").write_text(program)
        process = subprocess.Popen(
            [MPSAN, "run", "--dir", f"{directory}/session", "--", system_python(), f"{directory}/program.py",
             f"{directory}/ready"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            while not Path(directory, "ready").exists():
                time.sleep(0.05)
            time.sleep(WAITED_S)
        finally:
            kill_group(process.pid)
            process.wait()
        subprocess.run([MPSAN, "report", "--report", f"json={directory}/report.json", f"{directory}/session"],
                       check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        report = json.loads(Path(directory, "report.json").read_text())
    found = [(finding["severity"], finding["message"]) for finding in report["findings"] if finding["rule"] == rule]
    assert len(found) == 1 and found[0][0] == severity and says in found[0][1], report["findings"]


def silent(program, number, **how):
    found = run(program, number, **how)
    assert not found, found


main({
    "term": functools.partial(told, signal.SIGTERM),
    "int": functools.partial(told, signal.SIGINT, to_program=True),
    "kill-program": functools.partial(told, signal.SIGKILL, to_program=True),
    "time-limit": functools.partial(told, 0, before=("timeout", "9")),
    "producer": told_producer,
    "moved": told_moved,
    "child-ticks": told_ticker,
    "retired": told_without_retired,
    "lost-supervisor": functools.partial(lost_supervisor, PRODUCED, "hang", "note", "when mpsan itself was ended"),
    "lost-supervisor-proof": functools.partial(lost_supervisor, TAKEN_TWICE, "self-deadlock", "error", "(program.py:"),
    "silent-parked": functools.partial(silent, PARKED, signal.SIGTERM),
    "silent-paused": functools.partial(silent, PAUSED, signal.SIGTERM),
    "silent-child-sleeps": functools.partial(silent, PARENT, signal.SIGTERM),
    "silent-handled": functools.partial(silent, HANDLED, signal.SIGTERM),
    "silent-consequence": functools.partial(silent, CONSEQUENCE, signal.SIGTERM),
    "silent-short": functools.partial(silent, LOST, signal.SIGTERM, wait_s=1),
})
