#!/usr/bin/env python3
"""Logs of a recorded session that are cut short, gone, or something else: the commands that read it say which and what
happened, and a session of which nothing can be read is no success."""
# cases

import functools
import json
import os
import shutil
import socket
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import preload, program, run_bare, scratch  # noqa: E402
from mpsantest import MPSAN, main  # noqa: E402

USAGE = 2
HEAD_AT = 40  # of mpsan_log.head
START = 8192  # of a log's records
WORK = ["sh", "-c", f"{program('workout')} threads,locks,forks; {program('workout')} threads,locks,forks"]


def make_socket(path):
    where = os.getcwd()
    os.chdir(path.parent)  # the name of a socket is short
    socket.socket(socket.AF_UNIX).bind(path.name)
    os.chdir(where)


def instead(make):
    def change(path):
        path.unlink()
        make(path)
    return change


def cut_to(length):
    return lambda path: os.truncate(path, length)


def cut_in_half(path):
    """In the middle of what was written, not of the room that was reserved."""
    used = struct.unpack_from("=Q", path.read_bytes(), HEAD_AT)[0]
    os.truncate(path, START + (used - START) // 2)


def overwrite(path):
    path.write_bytes(b"garbage " * 40000)


DAMAGE = {"empty": (cut_to(0), "is truncated to 0 bytes"), "short": (cut_to(5000), "is truncated to 5000 bytes"),
          "half": (cut_in_half, "is truncated: "), "pipe": (instead(os.mkfifo), "is a pipe"),
          "directory": (instead(Path.mkdir), "is a directory"), "socket": (instead(make_socket), "is a socket"),
          "missing": (Path.unlink, "is missing"), "overwritten": (overwrite, "is not an mpsan log")}
NOTHING = [name for name in DAMAGE if name != "half"]


@functools.cache
def recorded(watched):
    place = scratch("session")
    if watched:
        run_bare([MPSAN, "run", "--dir", place, "--report", "json=/dev/null", "--", *WORK])
    else:
        run_bare(WORK, env=preload(session=place))
    assert len(logs(place)) > 1 + watched
    return place


def logs(place):
    """Those of processes, the longest first, and the supervisor's last."""
    return sorted(place.glob("*.log"), key=lambda path: (path.stem == "32768", -path.stat().st_size))


def copied(watched=True):
    place = scratch("copy")
    shutil.copytree(recorded(watched), place)
    return place


def limits(place, *words):
    run = run_bare([MPSAN, "report", "--report", "json=-", *words, place])
    assert run.exit == 0, run
    return [limit for limit in json.loads(run.out)["limits"] if ".log" in limit]


def check_one(name):
    """The others are read all the same."""
    change, says = DAMAGE[name]
    place = copied()
    log = logs(place)[0]
    change(log)
    said = limits(place)
    assert len(said) == 1 and f"{log.name} {says}" in said[0] and "record the session again" in said[0], said
    dump = run_bare([MPSAN, "dump", place])
    assert dump.exit == 0 and f"{log.name} {says}" in dump.err and dump.out, dump


def check_supervisor(name):
    change, says = DAMAGE[name]
    place = copied()
    log = place / "32768.log"
    with open(log, "r+b") as file:  # as if it had seen something
        file.truncate(START + 640)
        file.seek(HEAD_AT)
        file.write(struct.pack("=Q", START + 640))
    change(log)
    said = limits(place)
    assert len(said) == 1 and f"{log.name} {says}" in said[0] and "supervisor" in said[0], said


def check_all(name, watched):
    """Nothing is left to judge: one line and no report."""
    place = copied(watched)
    for log in logs(place):
        DAMAGE[name][0](log)
    for words in (["report"], ["check", "--baseline", "/dev/null"], ["dump"]):
        run = run_bare([MPSAN, *words, place])
        assert run.exit == USAGE and not run.out and run.err.count("\n") == 1, (words, run)
        assert str(place) in run.err and DAMAGE[name][1] in run.err and "record" in run.err, run


def check_among():
    """One of several sessions is left out, and named."""
    job = scratch("job")
    for rank in ("0", "1"):
        shutil.copytree(recorded(True), job / rank)
    for log in logs(job / "1"):
        os.truncate(log, 0)
    said = limits(job)
    assert any("left out" in limit and str(job / "1") in limit for limit in said), said


def check_whole():
    for watched in (True, False):
        assert not limits(copied(watched))
    place = scratch("killed")
    run_bare([MPSAN, "run", "--dir", place, "--report", "json=/dev/null", "--", "sh", "-c", "kill -9 $$"])
    assert not limits(place)


main({**{f"one_{name}": functools.partial(check_one, name) for name in DAMAGE},
      **{f"supervisor_{name}": functools.partial(check_supervisor, name) for name in DAMAGE},
      **{f"all_{name}_{'watched' if watched else 'preloaded'}": functools.partial(check_all, name, watched)
         for name in NOTHING for watched in (True, False)},
      "among": check_among, "whole": check_whole})
