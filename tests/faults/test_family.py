#!/usr/bin/env python3
"""Families of processes at random: forks of all kinds, execs, threads, signals, kills and namespaces, in any order. A model
that knows only the text of family.c says which processes there were, how each came to be, of whom, and how it ended: the
logs have these and no others, and of those killed at some time, all that had begun. MPSAN_SEED=N repeats a family."""
# cases
# limit: 3600

import dataclasses
import os
import random
import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import named, program, rounds, run_bare  # noqa: E402
from mpsantest import dump, main, run_mpsan  # noqa: E402

HOW = {"f": "fork", "F": "_Fork", "c": "syscall", "R": "fork", "k": "fork", "v": "vfork", "s": "posix_spawn", "x": "exec"}
LEAVES_LOCKS = "Fc"  # libc's own, as other threads have them: a child cannot do what it likes
DEATHS = (signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGSEGV)
GROUP_KILLED = {"signal": int(signal.SIGKILL)}
PROCESSES = 30  # of a family, at most
DEPTH = 5


@dataclasses.dataclass
class Process:
    """One image of a process: what its log has to say. `end`: None where it goes on as another image."""
    name: int
    how: str
    parent: "Process"
    doomed: bool  # its group is killed at some time: it may not even begin
    end: object = None
    space: bool = False  # it is process 1 of a namespace, or below
    threads: int = 0  # that it starts
    forks: list = dataclasses.field(default_factory=list)  # each as (how, locks of the thread that forks, of a holder)


class Family:
    """Makes up lives, and notes what they lead to."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.root = Process(1, "root", None, False)
        self.all = [self.root]
        self.text = f"1:{self.life(self.root, 0)}"

    def life(self, process, depth):
        """What a process does up to its end, or to its next image."""
        text = ""
        if os.geteuid() == 0 and self.random.random() < 0.15:
            text += "u"
        text += "".join(self.deed(process, depth) for _ in range(self.random.randrange(1, 5)))
        if os.geteuid() == 0 and self.has_room(depth) and self.random.random() < 0.1:
            # no other child can be made once the first one of the namespace has ended
            return text + "P" + self.birth("f", process, depth, space=True) + self.last(process)
        if process.how != "root" and self.has_room(depth) and self.random.random() < 0.2:
            return text + self.birth("x", process, depth)
        return text + self.last(process)

    def has_room(self, depth):
        return depth < DEPTH and len(self.all) < PROCESSES

    def last(self, process):
        number = self.random.choice((0, 0, 1, 3, 77))
        how = self.random.choice("e_qK" if process.how != "root" and not process.space else "e_q")
        if how == "K":
            number = int(self.random.choice(DEATHS))
        process.end = {"signal": number} if how == "K" else {"code": number}
        return f"{how}{number}"

    def birth(self, how, parent, depth, inside="", space=False):
        child = Process(len(self.all) + 1, HOW[how], parent, parent.doomed or how == "R", space=parent.space or space)
        self.all.append(child)
        if how != "x":
            copied = how in "fFcRk"  # with all locks
            # after a clone() that libc does not know of, locks have the TID of the parent: not recognised
            own = copied and inside == "h" and parent.how != "syscall"
            parent.forks.append((child.how, int(own), copied * (inside == "H")))
        life = self.life(child, depth + 1) if how != "k" else self.last(child)
        return f"{how}{child.name}{{{life}}}"

    def deed(self, process, depth, inside=""):
        """Something that a process does, or one of its threads, or inside of a lock."""
        what = self.random.choice("lfFcvsRkthH")
        if what in "thH" and not inside:
            process.threads += what != "h"
            return what + "{" + "".join(self.deed(process, depth, what) for _ in range(2)) + "}"
        if what in "fFcvsRk" and self.may_have(what, process, depth):
            return self.birth(what, process, depth, inside)
        return "l"

    def may_have(self, what, process, depth):
        return self.has_room(depth) and not (process.doomed and what == "R") and \
            not (process.threads and what in LEAVES_LOCKS)


class Logs:
    """The images that the logs have, by the name that each gave itself."""

    def __init__(self, events):
        self.events = events
        self.slots = {}
        for event in named(events, "lock_name"):
            self.slots.setdefault(int(event["name"]), []).append(event["slot"])
        self.births = {event["slot"]: event["process"] for event in named(events, "birth")}

    def slot_of(self, process):
        slots = self.slots.get(process.name, [])
        assert len(slots) <= 1, f"{process}: in {slots}"
        return slots[0] if slots else None

    def of(self, process):
        return self.births.get(self.slot_of(process))

    def records_of(self, process, name):
        slot = self.slot_of(process)
        return [event for event in named(self.events, name) if event["slot"] == slot]


def check_process(logs, process, began):
    birth = logs.of(process)
    if birth is None:
        assert process.doomed and process.name not in began, f"lost: {process}"
        return
    assert birth["how"] == process.how and birth["watched"] is True, (process, birth)
    if process.how not in ("root", "exec"):
        assert birth["parent"] == logs.of(process.parent)["pid"], (process, birth, logs.of(process.parent))
    if process.doomed:
        assert birth["end"] in (process.end, GROUP_KILLED, None), (process, birth)
        return
    assert birth["end"] == process.end, (process, birth)
    forks = sorted((event["how"], event["own"], event["held"]) for event in logs.records_of(process, "fork"))
    assert [fork[:2] for fork in forks] == [fork[:2] for fork in sorted(process.forks)], (process, forks)
    # other threads may just have theirs
    assert all(seen[2] >= fork[2] for seen, fork in zip(forks, sorted(process.forks))), (process, forks)
    assert len(logs.records_of(process, "thread_start")) == process.threads, process


def check_family(seed):
    family = Family(seed)
    command = [program("family"), family.text]
    bare = run_bare(command)
    with tempfile.TemporaryDirectory() as session:
        run = run_mpsan(command, ["--dir", session])
        logs = Logs(dump(session))
    doomed = {process.name for process in family.all if process.doomed}
    surely = {process.name for process in family.all} - doomed
    began, began_bare = (set(map(int, each.out.split())) for each in (run, bare))
    assert began - doomed == began_bare - doomed == surely, (surely - began, surely - began_bare)
    assert run.exit == bare.exit == family.root.end["code"], (run, bare.exit)
    for process in family.all:
        check_process(logs, process, began)
    assert set(logs.slots) <= {process.name for process in family.all}
    assert all(doomed and limit.startswith("unfinished records") for limit in run.report["limits"]), run.report["limits"]
    assert not [finding for finding in run.report["findings"] if finding["severity"] == "error"], run.report["findings"]
    return len(logs.births)


def check():
    seed, images = os.environ.get("MPSAN_SEED"), 0
    for _ in range(rounds(8, 1000)):
        chosen = int(seed or random.randrange(1 << 32))
        try:
            images += check_family(chosen)
        except BaseException:
            print(f"MPSAN_SEED={chosen}: {Family(chosen).text}", flush=True)
            raise
        if seed:
            break
    print(f"{images} images of processes")


main({"family": check})
