#!/usr/bin/env python3
"""Reports of several hosts and ranks: clocks put right, findings folded, what is missing said."""
# cases

import functools
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, MPSAN, Skip, find, main, need_builds, run_bare  # noqa: E402
from sessions import MEASURED, NFS, SYNCED, copy_session, host_of  # noqa: E402

HAZARD = BUILD / "tests/preload/fork/fork-orphaned-lock-mutex"
HOUR = 3600 * 10**9
RANKS = 64


def record(place, command, rank=None, world=None, host=None):
    """One session under PLACE, in a host (UTS and network namespace) of its own if that has a name."""
    need_builds()
    env = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(world)} if rank is not None else None
    run = [MPSAN, "run", "--report", "json=/dev/null", "--on-deadlock=kill", "--dir", f"{place}/%h-%r", "--", *command]
    if host:
        run = ["unshare", "-u", "-n", "sh", "-c", f'hostname {host} && exec "$@"', "sh", *run]
    run_bare(run, env=env)


def report(*args, exit=(0, 66)):
    run = run_bare([MPSAN, "report", "--report", "json=-", *args])
    assert run.exit in exit, f"exit {run.exit}: {run.err}"
    return json.loads(run.out)


def refusal(*args):
    run = run_bare([MPSAN, "report", *args])
    assert run.exit == 2 and run.err.count("\n") == 1 and not run.out, f"exit {run.exit}\n{run.out}{run.err}"
    return run.err


@functools.lru_cache(None)
def recorded(kind):
    """A session of a program that hangs, or of one that is fine; it lasts as long as this script."""
    place = Path(tempfile.mkdtemp(dir=os.environ.get("TMPDIR")), kind)
    record(place, [HAZARD] if kind == "bad" else ["/bin/true"])
    return next(place.iterdir())


def with_place(case):
    def run():
        with tempfile.TemporaryDirectory() as place:
            case(Path(place))
    return run


def check_namespaces(place):
    """Two hosts with a network and a name of their own; the clock of the second is behind by an hour, and the stamps of
    the shared directory say so."""
    if subprocess.run(["unshare", "-u", "-n", "true"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("no right to make namespaces")
    for rank, host in enumerate(("alpha", "beta")):
        record(place, [HAZARD], rank, 2, host)
    assert sorted(path.name for path in place.iterdir()) == ["alpha-0", "beta-1"]
    facts = host_of(place / "beta-1")
    assert (facts["name"], facts["rank"], facts["world"], facts["launcher"]) == ("beta", 2, 3, "torchrun"), facts
    assert facts["clock"] & MEASURED and abs(facts["ahead_ns"]) < 20_000_000 and facts["ahead_error_ns"] < 20_000_000, facts

    one = copy_session(place / "alpha-0", place / "shared/alpha-0", filesystem=NFS)
    other = copy_session(place / "beta-1", place / "shared/beta-1", -HOUR, filesystem=NFS, boot="another",
                         ahead_ns=facts["ahead_ns"] - HOUR)
    check_order(report(one, other), 0)
    check_order(report(place / "shared"), 0)
    # Nobody compared the clocks of these: the order is wrong by an hour, and that is said, until somebody tells.
    one = copy_session(place / "alpha-0", place / "local/alpha-0")
    other = copy_session(place / "beta-1", place / "local/beta-1", -HOUR, boot="another", clock=MEASURED)
    loose = report(one, other)
    assert [process["host"] for process in loose["processes"]][0] == "beta"
    assert any("could not be compared" in limit and "beta" in limit for limit in loose["limits"]), loose["limits"]
    assert loose["hosts"][1]["uncertainty_ns"] is None and loose["hosts"][1]["synchronised"] is None
    check_order(report("--skew", "beta=-3600", one, other), None)


def check_order(document, uncompared):
    """Alpha ended before beta began: so it stands in the report."""
    hosts = [process["host"] for process in document["processes"]]
    assert hosts == sorted(hosts) and set(hosts) == {"alpha", "beta"}, hosts
    ends = [process["end_ns"] or 0 for process in document["processes"] if process["host"] == "alpha"]
    starts = [process["start_ns"] for process in document["processes"] if process["host"] == "beta"]
    assert max(ends) < min(starts), (ends, starts)
    alpha, beta = document["hosts"]
    assert abs(beta["skew_ns"] + HOUR) < 50_000_000 and alpha["skew_ns"] == 0, document["hosts"]
    if uncompared == 0:
        assert 0 < beta["uncertainty_ns"] < 50_000_000, beta
        assert not any("could not be compared" in limit for limit in document["limits"]), document["limits"]
    finding = find(document, "fork-orphaned-lock")
    assert finding["host"] == "alpha" and finding["count"] == 2 and finding["spread"] == "on all 2 ranks"
    first = min(process["start_ns"] for process in document["processes"])
    times = [finding["time_ns"], *(step["time_ns"] for step in finding["evidence"] if step.get("time_ns"))]
    assert all(0 <= time - first < HOUR // 2 for time in times), (first, times)


def check_synchronised(place):
    """Without a server, a clock that the kernel keeps in step is off by what it was told at most."""
    one = copy_session(recorded("bad"), place / "a", name="a", clock=SYNCED, max_error_ns=3_000_000)
    other = copy_session(recorded("bad"), place / "b", name="b", boot="b", clock=SYNCED, max_error_ns=5_000_000)
    document = report(one, other)
    assert [host["uncertainty_ns"] for host in document["hosts"]] == [0, 8_000_000], document["hosts"]
    assert [host["synchronised"] for host in document["hosts"]] == [True, True]
    text = run_bare([MPSAN, "report", one, other]).out
    assert "2 sessions in one report; clocks uncertain by up to 0.008000 s" in text, text
    assert "on all 2 hosts" in text and "==a:" in text, text


def make_ranks(place):
    for rank in range(RANKS):
        copy_session(recorded("good" if rank == 17 else "bad"), place / f"node{rank // 8}-{rank}", name=f"node{rank // 8}",
                     rank=rank, world=RANKS, boot=f"boot{rank // 8}", filesystem=NFS, clock=MEASURED, ahead_ns=rank // 8 * 1000)


def check_ranks(place):
    make_ranks(place)
    document = report(place, exit=(66,))
    finding = find(document, "fork-orphaned-lock")
    assert finding["spread"] == "on 63 of 64 ranks: not on 17", finding["spread"]
    assert finding["count"] == 63 and finding["ranks"] == [rank for rank in range(RANKS) if rank != 17]
    assert finding["hosts"] == [f"node{host}" for host in range(8)], finding["hosts"]
    assert {(process["host"], process["rank"]) for process in document["processes"]} == \
        {(f"node{rank // 8}", rank) for rank in range(RANKS)}
    assert len(document["hosts"]) == RANKS and document["hosts"][9]["rank"] == 9, "not in the order of ranks"
    assert document["hosts"][63]["skew_ns"] == 7000 and document["hosts"][63]["world"] == RANKS
    assert document["exit"] == find_end(recorded("bad")), document["exit"]
    for words in ("ended differently", "different commands"):
        assert any(words in limit for limit in document["limits"]), document["limits"]
    for format in ("sarif", "junit", "github"):
        text = run_bare([MPSAN, "report", "--report", f"{format}=-", place]).out
        assert "een on 63 of 64 ranks: not on 17" in text, f"{format} does not say where: {text}"
    shutil.rmtree(place / "node5-40")
    run = run_bare([MPSAN, "report", place])
    assert "1 of 64 ranks have no session here: 40" in run.out, run.out
    assert "(seen 62 times, on 62 of 63 ranks: not on 17)" in run.out, run.out
    assert "mpsan: 63 sessions in one report; clocks corrected by up to 0.000007 s" in run.out, run.out


def find_end(session):
    return report(session)["exit"]


def check_folds_as_alone(place):
    """Two sessions of one kind say what each says alone, and no process or limit is lost."""
    alone = report(recorded("bad"))
    both = report(copy_session(recorded("bad"), place / "a", name="a", boot="a"),
                  copy_session(recorded("bad"), place / "b", name="b", boot="b"))
    assert "spread" not in alone["findings"][0] and "host" not in alone["processes"][0]
    assert [finding["fingerprint"] for finding in both["findings"]] == [finding["fingerprint"] for finding in alone["findings"]]
    assert [finding["count"] for finding in both["findings"]] == [2 * finding["count"] for finding in alone["findings"]]
    assert len(both["processes"]) == 2 * len(alone["processes"])
    assert "command" in both["hosts"][1] and both["command"] == alone["command"] and both["exit"] == alone["exit"]


def check_partly_broken(place):
    """What was named must be readable; of what was found, whatever is."""
    copy_session(recorded("bad"), place / "a-0", name="a", rank=0, world=2)
    (place / "a-1").mkdir(mode=0o700)
    (place / "a-1/session").write_bytes(b"no session")
    (place / "notes").mkdir()
    document = report(place)
    assert [limit for limit in document["limits"] if "session left out:" in limit and "a-1/session: truncated" in limit]
    assert all("ranks have no session" not in limit for limit in document["limits"])
    assert "a-1/session: truncated" in refusal(place / "a-0", place / "a-1")
    shutil.rmtree(place / "a-0")
    assert "a-1/session: truncated" in refusal(place)
    (place / "other/b-0").mkdir(parents=True)
    (place / "other/b-0/session").write_bytes(b"no session")
    copy_session(recorded("bad"), place / "a-0", name="a")
    assert "b-0/session: truncated" in refusal(place, place / "other")
    shutil.rmtree(place / "a-0")
    shutil.rmtree(place / "a-1")
    assert "no session here" in refusal(place)


def check_skew_mistakes(place):
    session = copy_session(recorded("good"), place / "a", name="a")
    for wrong in ("a", "a=", "=1", "a=one", "a=1s", "a=1e30", "a=nan", "a=inf"):
        assert f"--skew {wrong}: expected HOST=SECONDS" in refusal("--skew", wrong, session)
    assert "--skew b: no session of that host" in refusal("--skew", "b=1", session)


def check_old_arguments(place):
    """Long arguments of sessions from before there were ranks are no rank."""
    session = copy_session(recorded("bad"), place / "a", name="a")
    with open(session / "session", "r+b") as file:
        table = bytearray(file.read())
        for slot in range(4096, len(table), 256):
            if table[slot:slot + 4] != bytes(4):
                struct.pack_into("=I", table, slot + 84, 152)
                table[slot + 104:slot + 256] = b"x" * 152
        file.seek(0)
        file.write(table)
    processes = report(session)["processes"]
    assert len(processes) > 1 and all("rank" not in process for process in processes), processes
    assert {len(process["argv"][0]) for process in processes} == {148}


def check_hostile_heads(place):
    """Texts without an end, in no encoding, numbers beyond all bounds: a report all the same."""
    full = b"\xff" * 64
    sessions = [copy_session(recorded("bad"), place / str(n), name=full, boot=full[:40], launcher=full[:16], job=full,
                             rank=2**32 - 2, world=2**32 - 2, local=2**32 - 2, clock=2**32 - 1, filesystem=NFS,
                             ahead_ns=(-1)**n * 2**62, ahead_error_ns=2**63, max_error_ns=2**64 - 1) for n in range(2)]
    document = report(*sessions)
    assert document["hosts"][0]["host"] == "?" * 64, document["hosts"][0]
    run_bare([MPSAN, "report", *sessions, "--report", "otlp=-"])


def check_names_of_any_bytes(place):
    """What a kernel and a file system take as names is no text to JSON or XML: it is told all the same."""
    for name in (b"a\xff", b"b\xfe<&\x01"):
        copy_session(recorded("bad"), place / os.fsdecode(name), name=name)
    (place / "partly").mkdir()
    for name in (b"fine\xff", b"bad\xff"):
        session = copy_session(recorded(os.fsdecode(name[:-1])), place / "partly" / os.fsdecode(name), name="same")
    for log in session.glob("*.log"):
        log.unlink()
        log.write_text("no log")
    document = report(place / "partly")
    assert any("bad?" in line for line in document["limits"]), document["limits"]
    baseline = place / os.fsdecode(b"known\xff")
    baseline.write_text("")
    document = report("--baseline", baseline, place / os.fsdecode(b"a\xff"))
    assert document["baseline"]["file"].endswith("known?"), document.get("baseline")
    files = [place / name for name in ("junit", "sarif")]
    report(*(word for file in files for word in ("--report", f"{file.name}={file}")), place)
    ElementTree.parse(files[0])
    json.loads(files[1].read_text())


main({name[6:]: with_place(case) for name, case in sorted(globals().items()) if name.startswith("check_") and name != "check_order"})
