#!/usr/bin/env python3
"""Ranks of NCCL that wait in vain: which collective each has entered is told, at once; healthy and slow jobs are not."""
# cases
# limit: 120

import functools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, MPSAN, ROOT, dump, kill_group, main, need_module, run_bare, run_mpsan, system_python, verdicts  # noqa: E402

PROGRAM = BUILD / "tests/preload/nccl/ranks_meet"
SCRIPT = ROOT / "tests/preload/nccl/ranks_meet.py"
FAKE = {"LD_LIBRARY_PATH": str(BUILD / "fake"), "MPSAN_FAKE_DEVICES": "1"}
PATIENCE_S = 30
IMPORTS_S = 90  # four processes import torch first
SECOND_S = 10  # another error is told at once before, and then none
FOUR = "communicator of 4 ranks: ranks 0, 1 and 3 wait in all_reduce #3 (f32, 1024 elements); rank 2 "
TWO = "communicator of 2 ranks: "
ONE_LESS = TWO + "rank 0 waits in all_reduce #3 (f32, 512 elements); rank 1 waits in all_reduce #3 (f32, 1024 elements)"
# the ways to fail to meet, the grade, and what is told
HANGS = {
    "other": ("warning", FOUR + "waits in broadcast #3 (f32, 16 elements, root 0)"),
    "size": ("warning", ONE_LESS),
    "ended": ("error", FOUR + "has entered 2 collectives only, and ended with status 0 (process "),
    "graphs": ("warning", FOUR + "has entered 2 collectives only, and ended with status 0"),
    "left": ("error", FOUR + "has entered 2 collectives only, and has left the communicator"),
    "locked": ("error", "communicator of 3 ranks: ranks 0 and 2 wait in all_reduce #3 (f32, 1024 elements); rank 1 has "
               "entered 2 collectives only, and is deadlocked"),
    "crossed": ("warning", "rank 1 waits in all_reduce #1 (f32, 64 elements); rank 0 has entered no collective, and "
                "waits in all_reduce #3 (f32, 64 elements) of another communicator"),
    "messages": ("warning", TWO + "rank 0 waits in recv #1 from rank 1 (i64, 8 elements); "
                 "rank 1 waits in recv #1 from rank 0 (i64, 8 elements)"),
    "unsent": ("error", TWO + "rank 0 waits in recv #1 from rank 1 (i64, 8 elements); rank 1 ended with status 5"),
    "part": ("error", TWO + "rank 0 waits in reduce_scatter #2 (bf16, 1 element); rank 1 has entered 1 collective "
             "only, and ended with status 1"),
    "alone": ("warning", TWO + "rank 0 waits in all_reduce #1 (f32, 1 element); rank 1 has entered no collective, "
              "and belongs to the process of rank 0"),
}


def told(command, grade, words, env=None, patience=PATIENCE_S):
    """Runs what hangs until the finding is told at once, then ends the job; the report has it, too, once."""
    with tempfile.TemporaryDirectory() as place:
        report, errors = Path(place, "report.json"), Path(place, "errors")
        with errors.open("w") as file:
            run = subprocess.Popen([MPSAN, "run", "--report", f"json={report}", "--", *map(str, command)], stderr=file,
                                   env={**os.environ, **FAKE, **(env or {})}, start_new_session=True)
        until, text = time.monotonic() + patience, ""
        try:
            while "collective-mismatch" not in text and run.poll() is None and time.monotonic() < until:
                time.sleep(0.1)
                text = errors.read_text()
            run.send_signal(signal.SIGTERM)
            run.wait(PATIENCE_S)
        finally:
            kill_group(run.pid)
        found = [(one["severity"], one["message"]) for one in json.loads(report.read_text())["findings"]
                 if one["rule"] == "collective-mismatch"]
        assert [one for one, _ in found] == [grade], f"{found}\n{errors.read_text()}"
        assert re.search(words, found[0][1]), found[0][1]


def hang(way):
    grade, words = HANGS[way]
    told([PROGRAM, way], grade, re.escape(words), patience=SECOND_S if way == "locked" else PATIENCE_S)


def spinning():
    """The real driver waits on a processor, unless it is asked to sleep."""
    told([PROGRAM, "size"], "warning", re.escape(ONE_LESS), {"MPSAN_FAKE_SPIN": "1"})


def by_name():
    """Python's frames are known, and dlsym has returned the hooks."""
    told([system_python(), SCRIPT], "warning",
         r"rank 0 waits in all_reduce #2 \(f32, 8 elements\) at ranks_meet.py:35; "
         r"rank 1 waits in all_reduce #2 \(f32, 9 elements\) at ranks_meet.py:35")


def joining():
    """A rank that ends before the others are complete is known by the number that its launcher gave it."""
    told([system_python(), SCRIPT, "join"], "warning",
         r"communicator of 3 ranks: ranks 0 and 1 wait in ncclCommInitRank at ranks_meet.py:\d+; "
         r"rank 2 has not joined, and ended with status 0")


def barrier():
    """One is in a collective of another backend, which the others would have to enter."""
    need_module(system_python(), "torch")
    told([system_python(), ROOT / "tests/preload/nccl/ranks_barrier.py"], "warning",
         r"communicator of 3 ranks: ranks 0 and 1 wait in all_reduce #2 \(f32, 4 elements\) at ranks_barrier.py:\d+; "
         r"rank 2 has entered 1 collective only, and waits in barrier \(ranks_barrier.py:\d+\)", patience=IMPORTS_S)


def silent(way):
    run = run_mpsan([PROGRAM, way], env=FAKE)
    assert run.exit == 0 and not verdicts(run.report), f"{run.exit} {run.err}"
    if way == "healthy":
        assert run_bare([PROGRAM, way], env=FAKE).exit == 0


def recorded():
    """Each rank's part in each communicator, with what it entered last."""
    with tempfile.TemporaryDirectory() as place:
        session = Path(place, "session")
        run = run_mpsan([PROGRAM, "healthy"], ["--dir", str(session)], env=FAKE)
        assert run.exit == 0, run.err
        comms = [event["value"] for event in dump(session) if event["event"] == "comm"]
    world = [comm for comm in comms if comm["ranks"] == 4]
    assert sorted(comm["rank"] for comm in world) == [0, 1, 2, 3], comms
    assert {(comm["entered"], comm["newest"], comm["state"]) for comm in world} == {(403, "split", "DESTROYED")}, comms
    parts = {(comm["id"], comm["ranks"], comm["entered"], comm["elements"]) for comm in comms if comm["ranks"] != 4}
    assert len(parts) == 2 and {part[1:] for part in parts} == {(2, 1, 1)}, comms


main({
    **{way: functools.partial(hang, way) for way in HANGS},
    "spinning": spinning,
    "by_name": by_name,
    "joining": joining,
    "barrier": barrier,
    "recorded": recorded,
    **{way: functools.partial(silent, way) for way in ("healthy", "slow", "aborted", "failed")},
})
