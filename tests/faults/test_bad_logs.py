#!/usr/bin/env python3
"""Damaged sessions: whatever bytes are changed, cut off or inserted, the reader ends by itself and says what it skipped."""
# limit: 3600

import os
import random
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import preload, program, rounds, run_bare, scratch  # noqa: E402
from mpsantest import MPSAN, main  # noqa: E402

HEAD = 16384  # where most of what is worth changing stands
STATUSES = (0, 1, 2, 66)


def record():
    place = scratch("session")
    run = run_bare([program("workout"), "threads,forks,orphans"], env=preload(session=place))
    assert run.exit == 0, run
    return place


def change_bytes(data, chance):
    for _ in range(chance.randint(1, 40)):
        at = chance.randrange(min(len(data), chance.choice((256, HEAD, len(data)))))
        data[at] = chance.choice((0, 1, 0x7f, 0xff, chance.randrange(256)))


def change_words(data, chance):
    for _ in range(chance.randint(1, 10)):
        at = chance.randrange(min(len(data), HEAD) // 8) * 8
        data[at:at + 8] = chance.choice((b"\xff" * 8, b"\0" * 8, chance.randbytes(8),
                                         chance.randrange(1 << 20).to_bytes(8, "little")))


def copy_block(data, chance):
    size = chance.choice((64, 256, 4096))
    source, target = (chance.randrange(max(1, len(data) - size)) for _ in range(2))
    data[target:target + size] = data[source:source + size]


def cut_off(data, chance):
    del data[chance.randrange(len(data)):]


def fill(data, chance):
    at = chance.randrange(len(data))
    data[at:at + 8192] = chance.randbytes(len(data[at:at + 8192]))


def mutate(original, place, chance):
    """A copy of the session in which one or two files were changed."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(mode=0o700)
    files = sorted(original)
    victims = chance.sample(files, chance.randint(1, 2))
    for name in files:
        data = bytearray(original[name])
        if name in victims:
            chance.choice((change_bytes, change_words, copy_block, cut_off, fill))(data, chance)
        (place / name).write_bytes(data)


def thinned(place):
    """The files of a session, without the unused rest of logs, and no more logs than needed."""
    logs = sorted(place.glob("*.log"), key=lambda path: path.stat().st_mtime)[-3:]
    used = {path.name: path.read_bytes().rstrip(b"\0") for path in logs}
    return {"session": (place / "session").read_bytes(), **{name: data + bytes(64) for name, data in used.items()}}


def check():
    original, place = thinned(record()), scratch("mutated")
    seed = int(os.environ.get("MPSAN_SEED", random.randrange(1 << 32)))
    chance = random.Random(seed)
    for number in range(rounds(150, 20000)):
        mutate(original, place, chance)
        words = [["dump", place], ["report", "--report", "json=-", place]][number % 2]
        run = run_bare([MPSAN, *words])
        assert run.exit in STATUSES, f"MPSAN_SEED={seed}, mutation {number}: {words[0]} ended with {run.exit}\n{run.err}"


main({"bad_logs": check})
