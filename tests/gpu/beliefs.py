#!/usr/bin/env python3
"""Asks the driver that is here whether it is as tests/fake/README.md believes, and prints the table of that file with
its last column filled in: take it over when it comes from a GPU. Ends with 1 where the driver is otherwise, or where a
belief has no check. beliefs.py [--one FUNCTION]"""

import ctypes
import datetime
import subprocess
import sys
from multiprocessing.pool import ThreadPool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from belief_checks import CHECKS, NotAsked, Refuted, used  # noqa: E402
from gpu import FAKE, need_devices  # noqa: E402
from mpsantest import ROOT, Skip  # noqa: E402

TABLE = ROOT / "tests/fake/README.md"


def driver_here():
    """The day, the device, the version of CUDA that its driver has."""
    driver, name, version = used(), ctypes.create_string_buffer(100), ctypes.c_int()
    driver.cuDeviceGetName(name, len(name), 0)
    driver.cuDriverGetVersion(ctypes.byref(version))
    return f"{datetime.date.today()}, {name.value.decode()}, CUDA {version.value // 1000}.{version.value % 1000 // 10}"


def ask(function, devices):
    """What one check says, in a process of its own: 'yes', 'NO' or why it was not asked."""
    try:
        need_devices(devices)
    except Skip as reason:
        return f"not asked: {reason}"
    run = subprocess.run([sys.executable, __file__, "--one", function.__name__], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    said = run.stdout.strip() or f"NO: {(run.stderr.strip().splitlines() or ['it died'])[-1]}"
    return said


def answer_one(name):
    function, = [function for _, _, function in CHECKS if function.__name__ == name]
    try:
        function()
        print("yes", flush=True)
    except Refuted as answer:
        print(f"NO: {answer}", flush=True)
    except NotAsked as reason:
        print(f"not asked: {reason}", flush=True)


def judge(row, here):
    """The last column of a row: as it was for what does not depend on the device."""
    claim, source, confirmed = row
    if not source or confirmed.startswith("("):
        return confirmed
    said = [ask(function, devices) for beginning, devices, function in CHECKS if claim.startswith(beginning)]
    if not said:
        return "NO CHECK"
    wrong = [each for each in said if each.startswith("NO")]
    if wrong:
        return f"{wrong[0]} ({here})"
    return f"yes: {here}" if "yes" in said else said[0]


def print_table():
    here, fine, claims = driver_here(), True, []
    lines = [line for line in TABLE.read_text().splitlines() if line.startswith("|")]
    begin = lines.index("| belief | from | confirmed on a GPU |")
    print("\n".join(lines[begin:begin + 2]))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[begin + 2:]]
    with ThreadPool(4) as pool:
        answers = pool.imap(lambda row: judge(row, here), rows)
        for (claim, source, _), confirmed in zip(rows, answers):
            claims.append(claim)
            fine = fine and not confirmed.startswith("NO")
            print(f"| {claim} | {source} | {confirmed} |" if source else f"| {claim} | | |", flush=True)
    strays = [beginning for beginning, _, _ in CHECKS if not any(claim.startswith(beginning) for claim in claims)]
    for beginning in strays:
        print(f"no belief begins so: {beginning}")
    return fine and not strays


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        answer_one(sys.argv[2])
        sys.exit(0)
    if FAKE:
        print("(this is the stand-in)")
    sys.exit(0 if print_table() else 1)
