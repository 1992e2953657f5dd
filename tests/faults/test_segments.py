#!/usr/bin/env python3
"""The ledger of shared memory: what each scene of segments.c leaves in the logs, and nothing else."""
# cases
# limit: 120

import os
import shutil
import struct
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import as_bare, named, preload, program, rounds, scratch  # noqa: E402
from mpsantest import Skip, main, run_bare  # noqa: E402

BYTES = 12288
KINDS = ("shm_intent", "shm", "shm_map", "shm_size", "shm_sent", "shm_unlinked", "shm_inherited", "shm_refused",
         "shm_kept", "sock_bound", "sock_refused")


def later_bytes(event):
    return event.get("later", 0) & ((1 << 48) - 1)


def was_unlinked(event):
    return event.get("later", 0) < 0  # the highest bit


def play(word, *before, count=0, **counts):
    """Events by name; there are as many of each kind as `counts` says, and none of a kind that it does not name."""
    events = as_bare([*before, program("segments"), word, str(count)])
    found = Counter(event["event"] for event in events if event["event"] in KINDS)
    assert found == counts, f"{dict(found)}\n" + "\n".join(str(e) for e in events if e["event"] in KINDS)
    return {kind: named(events, kind) for kind in KINDS}


def check_life():
    seen = play("life", shm_intent=1, shm=1, shm_map=1)
    segment, mapping = seen["shm"][0], seen["shm_map"][0]
    assert segment["way"] == "OPEN" and segment["flags"] == "MADE|WRITABLE" and segment["name"].startswith("/dev/shm/mpsan")
    assert segment["name"] == seen["shm_intent"][0]["name"]
    assert later_bytes(segment) == BYTES and was_unlinked(segment), segment
    assert mapping["inode"] == segment["inode"] and mapping["bytes"] == BYTES and mapping["later"] > 0, mapping


def check_parts():
    assert play("parts", shm_intent=1, shm=1, shm_map=1)["shm_map"][0]["later"] > 0


def check_moved():
    first, second = play("moved", shm_intent=1, shm=1, shm_map=2)["shm_map"]
    assert first["later"] > 0 and "later" not in second and second["bytes"] == BYTES, (first, second)


def check_fork():
    seen = play("fork", shm_intent=1, shm=1, shm_map=2, shm_inherited=3, shm_unlinked=1)
    assert not any("later" in mapping for mapping in seen["shm_map"]), "a child ended its parent's mappings"
    assert not was_unlinked(seen["shm"][0]), "it was the child who removed the name"
    assert sorted(event["what"] for event in seen["shm_inherited"]) == ["CLOSED", "UNLINKED", "UNMAPPED"]
    assert seen["shm_unlinked"][0]["inode"] == seen["shm"][0]["inode"]
    assert seen["shm_unlinked"][0]["pid"] != seen["shm"][0]["pid"]


def check_vfork():
    seen = play("vfork", shm_intent=1, shm=1, shm_map=1)
    assert seen["shm_map"][0]["later"] > 0 and was_unlinked(seen["shm"][0])


def check_sent():
    seen = play("sent", shm_intent=1, shm=2, shm_map=2, shm_sent=1)
    made, came = sorted(seen["shm"], key=lambda event: event["way"] == "RECEIVED")
    assert came["way"] == "RECEIVED" and came["flags"] == "WRITABLE|UNNAMED" and came["pid"] != made["pid"], came
    assert came["inode"] == made["inode"] == seen["shm_sent"][0]["inode"] and came["name"] == made["name"]
    assert later_bytes(made) == came["bytes"] == BYTES and made["later"] >> 62 & 1, "not marked as sent"


def check_exec():
    seen = play("exec", shm_intent=1, shm=2, shm_map=1)
    assert [event["way"] for event in seen["shm"]] == ["OPEN", "FOUND"] and not was_unlinked(seen["shm"][1])


def check_files():
    """Opened once more, it is the same segment of the same process, which is known."""
    made = play("files", shm_intent=1, shm=2)["shm"]
    assert all(event["way"] == "FILE" and "MADE" in event["flags"] and was_unlinked(event) for event in made), made


def check_limit():
    events = named(as_bare([program("segments"), "limit"]), "shm_refused")
    reasons = [event["reason"] for event in events]
    assert reasons.count("MANY_DESCRIPTORS") == 1 and reasons[-1] == "NO_DESCRIPTOR", reasons
    assert all(32 <= event["count"] <= 40 and event["limit"] == 40 for event in events), events


def check_cut():
    event, = play("cut", shm_intent=1, shm=1, shm_sent=1, shm_refused=1)["shm_refused"]
    assert event["reason"] == "TRUNCATED" and event["function"] == "recvmsg" and event["count"] == 1, event


def check_missing():
    refused = play("missing", shm_refused=16)["shm_refused"]
    assert {event["reason"] for event in refused} == {"NO_NAME"}
    assert {event["function"] for event in refused} == {"shm_open", "open"}


def check_kept():
    seen = play("kept", shm_intent=1, shm=2, shm_map=1, shm_sent=1, sock_bound=1, shm_kept=1)
    kept = seen["shm_kept"][0]
    assert kept["count"] == 2 and kept["bytes"] == 2 * BYTES and kept["listener"] == seen["sock_bound"][0]["path"], kept
    assert kept["inode"] == seen["shm"][0]["inode"]


def check_refused():
    refused = play("refused", sock_bound=1, sock_refused=3)["sock_refused"]
    assert [event["result"] for event in refused] == [2, 0, 111], refused
    assert len({event["path"] for event in refused}) == 1


def check_space():
    if os.geteuid() != 0 or not shutil.which("unshare"):
        raise Skip("needs root and unshare")
    small = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=1m none /dev/shm && exec "$@"', "sh"]
    if run_bare([*small, "true"]).exit != 0:
        raise Skip("no mount namespaces here")
    seen = play("space", *small, shm_intent=1, shm=1, shm_size=1, shm_refused=1)
    size, refused = seen["shm_size"][0], seen["shm_refused"][0]
    assert size["bytes"] == 64 << 20 and size["free"] <= 1 << 20 and size["result"] == 0, size
    assert refused["reason"] == "NO_SPACE" and refused["count"] == 64 << 20 and refused["limit"] <= 1 << 20, refused


def check_storm():
    seen = play("storm", shm_intent=400, shm=400, shm_map=400)
    assert all(mapping["later"] > 0 for mapping in seen["shm_map"]), "mapped for ever"
    assert all(was_unlinked(segment) and later_bytes(segment) == BYTES for segment in seen["shm"])
    assert len({segment["inode"] for segment in seen["shm"]}) == 400


def check_many():
    """Others remove what a process made, and it is not told: its table has room all the same."""
    count = rounds(500, 140000)
    play("many", count=count, shm_intent=count, shm=count, shm_unlinked=count - 1)


def logged(count):
    """Bytes in all logs of so many segments that go from one process to another."""
    session = scratch("session")
    run = run_bare([program("segments"), "flow", str(count)], env=preload(session=session))
    assert run.exit == 0, run.err
    # struct mpsan_log.head, in the first page of each log
    return sum(struct.unpack_from("<Q", log.read_bytes()[:64], 40)[0] for log in session.glob("*.log"))


def check_flow():
    """A hundred thousand segments leave 64 MiB of logs at most."""
    few, many = 400, 2400
    each = (logged(many) - logged(few)) / (many - few)
    assert 0 < each * 100000 <= 64 << 20, f"{each} bytes for each segment"


main({"life": check_life, "parts": check_parts, "moved": check_moved, "fork": check_fork, "vfork": check_vfork,
      "sent": check_sent, "exec": check_exec, "others": lambda: play("others"), "files": check_files,
      "limit": check_limit, "cut": check_cut, "missing": check_missing, "kept": check_kept, "refused": check_refused,
      "space": check_space, "storm": check_storm, "many": check_many, "flow": check_flow})
