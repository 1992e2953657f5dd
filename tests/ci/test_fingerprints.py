#!/usr/bin/env python3
"""A fingerprint is that of a hazard in a program: the same in another checkout, from another working directory, on
another version of Python and after an edit above it; another one for another function."""
# cases

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import first_findings  # noqa: E402
from mpsantest import ROOT, Skip, main, other_pythons, run_mpsan, system_python  # noqa: E402

HAZARD = ROOT / "examples/lock-over-start/hazard.py"
C_HAZARD = ROOT / "examples/logging-thread/hazard.c"


def prints(command):
    """{slug: fingerprint} of what is found; the error must be there."""
    report = run_mpsan(command, ["--no-conf", "--on-deadlock=kill"]).report
    found = {finding["rule"]: finding["fingerprint"] for finding in report["findings"]}
    assert "fork-orphaned-lock" in found, found
    return found


def here():
    return prints([system_python(), HAZARD])


def checkout(text):
    """A copy in a directory of its own, whose names say nothing."""
    place = Path(tempfile.mkdtemp()) / "elsewhere" / "project"
    place.mkdir(parents=True)
    (place / "hazard.py").write_text(text)
    return place


def in_directory(place, *command):
    os.chdir(place)
    try:
        return prints(command)
    finally:
        os.chdir(ROOT)


def check_checkouts():
    one, other = (checkout(HAZARD.read_text()) for _ in range(2))
    known = here()
    assert prints([system_python(), one / "hazard.py"]) == known
    assert in_directory(other, system_python(), "hazard.py") == known


def check_edits():
    """Lines above a function, another class around what Python calls, and a name that changes."""
    known, text = here(), HAZARD.read_text()
    moved = text.replace("import multiprocessing\n", "# a licence\n\n\nimport multiprocessing\n").replace(
        "    refresher = ", "    print('ready')\n    refresher = ")
    assert prints([system_python(), checkout(moved) / "hazard.py"]) == known
    renamed = prints([system_python(), checkout(text.replace("look_up", "fetch")) / "hazard.py"])
    assert renamed["fork-orphaned-lock"] != known["fork-orphaned-lock"], "another function, and the same fingerprint"


def check_pythons():
    """From 3.11 on functions have qualified names, from 3.12 on comprehensions no frames, and pyenv's are not stripped."""
    text = HAZARD.read_text().replace("    process.start()\n", "    [p.start() for p in [process]]\n")
    program = checkout(text.replace("def look_up", "class Cache:\n    @staticmethod\n    def look_up").replace(
        "    with cache_lock:\n        print(", "        with cache_lock:\n            print(").replace(
        "target=look_up", "target=Cache.look_up")) / "hazard.py"
    pythons = other_pythons()
    if not pythons:
        raise Skip("pyenv keeps no other Python")
    newest_first = sorted(pythons, key=lambda version: int(version.split(".")[1]), reverse=True)
    chosen = pythons.values() if os.environ.get("MPSAN_FULL") == "1" else [pythons[newest_first[0]], pythons[newest_first[-1]]]
    known = prints([system_python(), program])
    for python in chosen:
        assert prints([python, program]) == known, f"{python} has other fingerprints"


# A child has ended, and both ends of the pipe are the reader's own; a party of the barrier is missing.
PIPE = """#include <sys/wait.h>
#include <unistd.h>
int main(void) { int ends[2]; char byte; if (pipe(ends)) return 1; if (!fork()) _exit(0); wait(0); return (int)read(ends[0], &byte, 1); }
"""
BARRIER = """#include <pthread.h>
pthread_barrier_t all;
void *arrive(void *none) { pthread_barrier_wait(&all); return none; }
int main(void) { pthread_t one; pthread_barrier_init(&all, 0, 3); pthread_create(&one, 0, arrive, 0); return pthread_barrier_wait(&all); }
"""


def built(name, text, *flags):
    """A program of that name in a directory of its own."""
    place = Path(tempfile.mkdtemp())
    (place / f"{name}.c").write_text(text)
    subprocess.run([os.environ.get("CC", "cc"), *flags, "-pthread", place / f"{name}.c", "-o", place / name], check=True)
    return place / name


def hang_of(program):
    report = run_mpsan([program], ["--no-conf", "--on-deadlock=kill"]).report
    return next(finding["fingerprint"] for finding in report["findings"] if finding["severity"] == "error")


def hang_from_outside(program):
    _, loud = first_findings([program], 2)
    return loud[0]["fingerprint"]


def check_places():
    """One function in two programs, and two waits in one function, are two hazards; a program elsewhere is the same one."""
    for flags in (["-g"], []):
        known = hang_of(built("reader", PIPE, *flags))
        assert hang_of(built("reader", PIPE, *flags)) == known, "another directory, and another fingerprint"
        assert hang_from_outside(built("reader", PIPE, *flags)) == known, "mpsan attach has another fingerprint"
        assert hang_of(built("listener", PIPE, *flags)) != known, "main of another program has its fingerprint"
        assert hang_of(built("reader", BARRIER, *flags)) != known, "another wait has its fingerprint"


def check_native():
    """Of a C program: optimisation, inlining, PIE and another place make no difference."""
    if not shutil.which(os.environ.get("CC", "cc")):
        raise Skip("no compiler")
    found = []
    for number, flags in enumerate((["-O0"], ["-O2", "-no-pie"])):
        program = Path(tempfile.mkdtemp()) / f"hazard{number}"
        subprocess.run([os.environ.get("CC", "cc"), "-g", *flags, "-pthread", "-I", ROOT / "include", C_HAZARD,
                        "-o", program, "-ldl"], check=True)
        found.append(prints([program]))
    assert found[0] == found[1], found


main({"checkouts": check_checkouts, "edits": check_edits, "pythons": check_pythons, "places": check_places, "native": check_native})
