#!/usr/bin/env python3
"""A fork bomb that ends at RLIMIT_NPROC: each process and each fork is in the log, no log is larger than its limit, and
what did not fit into it is counted to the last record."""
# cases
# limit: 300

import os
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import let_others_in, named, need, preload, program, rounds, run_bare, scratch  # noqa: E402
from mpsantest import LIBRARY, MPSAN, Skip, dump, main  # noqa: E402

LOG_MAX = 256 << 10  # the least that --log-max takes
NOTES = 7000  # of each process: more than fit
USER = 61026  # has no other processes


def run_bomb(processes, session):
    if os.geteuid() != 0:
        raise Skip("needs root: root has no such limit, so somebody else runs it")
    place = session.parent
    for file in (LIBRARY, program("bomb")):
        shutil.copy(file, place)
    let_others_in(place)
    place.chmod(0o777)
    env = {**preload(session=session, MPSAN_OPTIONS=f"log-max={LOG_MAX}"), "LD_PRELOAD": str(place / LIBRARY.name)}
    run = run_bare([need("setpriv"), f"--reuid={USER}", f"--regid={USER}", "--clear-groups",
                    "env", *("=".join(pair) for pair in env.items()), place / "bomb", processes, NOTES], 200)
    assert run.exit == 0, run
    made, refused, well = map(int, re.fullmatch(r"(\d+) processes, (\d+) refused, (\d+) well\n", run.out).groups())
    assert made >= processes and refused >= 1 and well == made - 1, run
    return made, refused


def check():
    session = scratch("session")
    made, refused = run_bomb(rounds(16, 200), session)
    large = {file.name: file.stat().st_size for file in session.iterdir() if file.stat().st_size > LOG_MAX}
    assert not [name for name in large if name.endswith(".log")], large
    events = dump(session)
    born = {(event["process"]["pid"], event["slot"]) for event in named(events, "birth")}
    notes = len({event["lock"] for event in named(events, "lock_name")})
    said = run_bare([MPSAN, "report", session], 200).out
    dropped = re.search(r"records dropped because the log was full \(raise --log-max\) or could not grow: (\d+)", said)
    assert dropped and notes + int(dropped[1]) == made * NOTES, f"{made} x {NOTES} notes, {notes} in the log: {said}"
    assert len(born) == made, f"{len(born)} of {made} processes"
    forks = len(named(events, "fork"))
    assert forks == made - 1 + refused, f"{forks} forks in the log"
    print(f"{made} processes, {refused} forks refused; {notes} of {made * NOTES} notes in the logs, {dropped[1]} dropped")


main({"bomb": check})
