#!/usr/bin/env python3
"""Debuggers and tracers start programs under the library and follow them through fork, vfork and exec as they do without
it: they report the same processes and stops, the program ends alike, and its events are in the log."""
# cases
# limit: 120

import functools
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import need, preload, program, run_bare, same, scratch  # noqa: E402
from mpsantest import Skip, dump, main  # noqa: E402

PARTS = ("vforks", "spawns")  # as argv[1] of workout.c: "vforks" is forks, too


def workout(part):
    return [program("workout"), part]


def recorded(session):
    assert any(event["event"] == "fork" for event in dump(session)), "no fork was recorded"


# gdb

STORY = re.compile(r"Catchpoint \d+ \(\w+|.*is executing new program: .*|\[(?:Attaching|Detaching) after .*|\[Inferior .*")
SPEECH = re.compile(r"\w+ \d+")


def gdb(part, follow, env):
    """What gdb says of each stop and each process, without their numbers, behind the program's own lines. gdb's go to a
    file: it writes them in pieces, and a process that it has detached would write in between."""
    said = scratch("said")
    words = [f"logging file {said}", "logging redirect on", "logging on",
             "startup-with-shell off", f"follow-fork-mode {follow}", "detach-on-fork on",
             *(f"environment {name} {value}" for name, value in env.items())]
    commands = [*(f"set {word}" for word in words), "catch fork", "catch vfork", "catch exec", "run", *["continue"] * 12]
    run = run_bare([need("gdb"), "-nx", "-batch", "-iex", "set debuginfod enabled off",
                    *(word for command in commands for word in ("-ex", command)), "--args", *workout(part)], 60)
    text = said.read_text() if said.exists() else ""
    if "[Inferior " not in text:
        raise Skip(f"gdb cannot start a program here: {(text + run.out + run.err)[-300:]}")
    story = [re.sub(r"(process|LWP|Thread|ctid)[ =](0x)?[0-9a-f]+", r"\1", line) for line in text.splitlines() if STORY.match(line)]
    return [line for line in run.out.splitlines() if SPEECH.fullmatch(line)], story


def check_gdb(part, follow):
    session = scratch("session")
    bare, watched = gdb(part, follow, {}), gdb(part, follow, preload(session=session))
    assert watched == bare, f"bare {bare}\nwatched {watched}"
    assert bare[0] and len(bare[1]) > 2, bare
    recorded(session)


# strace, valgrind, rr: (command in front of the program's, what it reports of processes)

def strace(env):
    file = scratch("trace")

    def processes():
        text = file.read_text(errors="replace")
        return {"processes": len(set(re.findall(r"^\d+", text, re.M))), "programs": text.count(" execve("),
                "ends": sorted(re.findall(r"\+\+\+ (.*) \+\+\+", text))}
    words = [word for pair in env.items() for word in ("-E", "=".join(pair))]
    return [need("strace"), "-f", "-q", "-e", "trace=process", "-o", file, *words], processes


def valgrind(env):
    place = scratch("x").parent

    def processes():
        logs = [file.read_text() for file in place.iterdir()]
        return {"processes": len(logs), "programs": sorted(re.findall(r"Command: (\S+)", "\n".join(logs)))}
    return ["env", *("=".join(pair) for pair in env.items()), need("valgrind"), "--tool=none", "--trace-children=yes",
            f"--log-file={place}/%p"], processes


def rr(env):
    place = scratch("recording")

    def processes():
        lines = run_bare([need("rr"), "ps", place]).out.splitlines()
        return {"processes": len(lines) - 1, "ends": sorted(line.split()[2] for line in lines[1:])}
    return [need("rr"), "record", "-n", "-o", place, *(word for pair in env.items() for word in ("-v", "=".join(pair)))], processes


def check(tool, part):
    session, results = scratch("session"), []
    for env in ({}, preload(session=session)):
        front, processes = tool(env)
        run = run_bare([*front, *workout(part)], 60)
        if not env and run.exit:
            raise Skip(f"{tool.__name__} cannot run a program here: {run.err[-300:]}")
        results.append((run, processes()))
    (bare, seen), (watched, seen_watched) = results
    same(bare, watched, f"{tool.__name__} {part}")
    assert seen_watched == seen, f"bare {seen}\nwatched {seen_watched}"
    assert seen["processes"] > 1, seen
    recorded(session)


main({**{f"gdb_{follow}_{part}": functools.partial(check_gdb, part, follow)
         for follow, part in (("parent", "vforks"), ("parent", "spawns"), ("child", "forks"), ("child", "spawns"))},
      **{f"{tool.__name__}_{part}": functools.partial(check, tool, part)
         for tool, part in ((strace, "vforks"), (strace, "spawns"), (valgrind, "vforks"), (rr, "vforks"))}})
