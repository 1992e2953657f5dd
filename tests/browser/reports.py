"""Reports for pages: one of each kind of story, hostile ones, and as many as a test wants. All are documents of the
schema mpsan.report/1, made up here so that every run has the same ones."""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD  # noqa: E402

PAGE = BUILD / "tests/browser/page"
START = 1_780_000_000_000_000_000
HOSTILE = ["</script><script>window.hit=1</script>", "<img src=x onerror=window.hit=1>", "<!--", "<!-- <script>", "]]>",
           "\u2028\u2029", "\u202eevil", "javascript:alert(1)", "'\"><svg onload=window.hit=1>", "{{7*7}}", "&lt;b&gt;",
           "\x07\x1b[31m", "é日本語🙂", "a" * 3000]


def ms(count):
    return START + count * 1_000_000


def frame(function, file="/home/team/project/train.py", line=10):
    return {"function": function, "file": file, "line": line}


def native(function, module="/usr/lib/x86_64-linux-gnu/libc.so.6", offset=4711):
    return {"function": function, "module": module, "offset": offset, "file": None, "line": 0}


def step(role, what, pid, tid, at_ms, names=("work", "main"), thread="main thread", **more):
    python = [frame(name, line=20 + i) for i, name in enumerate(names)]
    if python:
        python[0]["source"] = f"{names[0]}(<lock>)  # {role}"
    return {"what": what, "role": role, "at": python[0] if python else None, "pid": pid, "tid": tid, "thread": thread,
            "time_ns": ms(at_ms), "stack": [native(f"native_{i}") for i in range(14)], "python": python, **more}


def finding(rule, severity, message, steps, number=0, **more):
    last = steps[-1]
    return {"rule": rule, "severity": severity, "message": message, "fix": "start workers before threads", "count": 1,
            "pid": last["pid"], "tid": last["tid"], "thread": last["thread"], "time_ns": last["time_ns"],
            "fingerprint": f"{number + 0xabc000:016x}", "lock": "", "subject": None, "evidence": steps, **more}


def process(pid, parent, name, begin, until, how="fork", **more):
    return {"pid": pid, "parent": parent, "name": name, "role": None, "how": how, "argv": ["python3", f"{name}.py"],
            "start_ns": ms(begin), "end_ns": ms(until), "end": {"code": 0}, "watched": True, **more}


def orphan(number=0, parent=100, child=101, at=300):
    lock = {"kind": "lock", "name": "lock \"cache\""}
    return finding("fork-orphaned-lock", "error", f"process {child} waits forever at look_up (train.py:20) for lock \"cache\"", [
        step("holder", "thread \"refresher\" held lock \"cache\"", parent, parent + 1000, at + 1, ("refresh", "run"), "refresher"),
        step("fork", f"the main thread of process {parent} called fork()", parent, parent, at, ("start", "main"), child=child),
        step("wait", f"the main thread of the child {child} waits for lock \"cache\"", child, child, at + 40, ("look_up", "main")),
    ], number, subject=lock, lock="cache")


def knot(number=1):
    def waits(pid, tid, thread, what, owner_pid, owner_tid, owner):
        return step("blocked", f"{thread} waits for {what}", pid, tid, 700, ("take_both",), thread, waits_for={
            "what": what, "pid": owner_pid, "tid": owner_tid, "thread": owner, "gone": False, "taken": None, "since_ns": ms(420)})
    return finding("deadlock-cycle", "error", "threads of processes 100 and 102 wait for each other for ever", [
        waits(100, 1100, "loader", "mutex \"pages\"", 102, 102, "main thread"),
        waits(102, 102, "main thread", "mutex \"index\"", 100, 1100, "loader")], number)


def starved(number=0):
    """Nobody is left: a parent that waits for the end of its child, which waits for what nobody will give back."""
    def waits(pid, what, owner_pid):
        return step("blocked", f"the main thread of process {pid} waits for {what}", pid, pid, 700, ("take_both",), "main thread",
                    waits_for={"what": what, "pid": owner_pid, "tid": 0, "thread": None, "gone": False, "taken": None,
                               "since_ns": ms(420)})
    return finding("deadlock-cycle", "error", "nobody is left who could wake the main thread of process 100", [
        waits(100, "the end of process 102", 102), waits(102, "a lock of the Lock made at main", 102)], number)


def alike():
    """Twenty-three workers wait for a lock whose owner is dead; a wrapper ran forty commands before the program."""
    def waits(pid, what, owner_pid, at, gone=False, **more):
        return step("blocked", f"process {pid} waits for {what}", pid, pid, 700, (at,), waits_for={
            "what": what, "pid": owner_pid, "tid": 0, "thread": None, "gone": gone, "taken": None, "since_ns": ms(420)}, **more)
    workers = [{"pid": pid, "tid": pid, "thread": "main thread"} for pid in range(201, 224)]
    steps = [waits(201, "the lock", 200, "work", True, alike=workers), waits(100, "the end of process 201", 201, "join")]
    processes = [process(100, 1, None, 0, 1000, "root", argv=["/usr/bin/env", "bash", "python3", "train.py"]),
                 *(process(300 + i, 100, None, 1 + i, 4 + i, argv=["bash", "which"], end={"code": i % 2}) for i in range(40)),
                 process(100, 1, None, 50, 1000, "exec", argv=["python3", "train.py"]),
                 *(process(200 + i, 100, f"worker-{i}", 60 + i, 1000 if i else 90, end=None if i else {"code": 3}) for i in range(24))]
    return document([finding("lock-owner-killed", "error", "process 201 waits forever for the lock", steps)], processes)


def export(number=2):
    memory = {"kind": "export", "name": "64 MiB on device 0", "bytes": 1 << 26, "pid": 101, "begin_ns": ms(310), "end_ns": ms(520),
              "uses": [[102, ms(330), ms(900)], [103, ms(350), None]], "uses_left_out": 0}
    return finding("ipc-freed-while-open", "warning", "process 101 freed 64 MiB that process 102 had open", [
        step("export", "process 101 exported 64 MiB", 101, 101, 310), step("import", "process 102 opened it", 102, 102, 330),
        step("free", "process 101 freed it", 101, 101, 520)], number, subject=memory)


def inversion(number=3):
    return finding("lock-order-inversion", "note", "lock_a and lock_b are taken in opposite orders", [
        step("order", "took lock_b while it held lock_a", 100, 100, 110, first="lock_a", second="lock_b"),
        step("order", "took lock_a while it held lock_b", 100, 1100, 160, ("other",), "loader", first="lock_b", second="lock_a")], number)


def document(findings, processes, **more):
    return {"schema": "mpsan.report/1", "tool": {"name": "mpsan", "version": "0.1.0"},
            "command": ["python3", "train.py", "--epochs", "3"], "exit": {"code": 0, "signal": None}, "processes": processes,
            "findings": findings, "limits": ["2 static programs were not watched"], "suppressed": 1, "practices": [
                {"pages": ["English tutorial"], "statement": "start processes under the main guard", "status": "kept",
                 "rules": ["main-not-guarded"], "findings": [], "why": None},
                {"pages": ["English tutorial"], "statement": "hold no lock over the start of a process", "status": "violated",
                 "rules": ["fork-orphaned-lock"], "findings": [findings[0]["fingerprint"]] if findings else [], "why": None}], **more}


def stories():
    return document([orphan(), knot(), export(), inversion()], [
        process(100, 1, "train", 0, 1000, "root"), process(101, 100, "worker-1", 300, 1000, end={"signal": 9}),
        process(102, 100, "worker-2", 305, 1000), process(103, 100, "worker-3", 308, 950)])


def fleet():
    """Two hosts on which the same pids mean different processes."""
    found = [{**orphan(i), "host": host, "rank": i, "hosts": [host], "ranks": [i], "spread": f"on 1 of 2 ranks: {i}"}
             for i, host in enumerate(("node-a", "node-b"))]
    processes = [{**process(pid, parent, f"{name}-{host[-1]}", at, 1000), "host": host, "rank": i}
                 for i, host in enumerate(("node-a", "node-b")) for pid, parent, name, at in ((100, 1, "train", 0), (101, 100, "worker", 300))]
    return document(found, processes, hosts=[{"host": "node-a", "rank": 0, "skew_ns": 0}, {"host": "node-b", "rank": 1, "skew_ns": 250_000_000}])


def hostile():
    """Every name that a program may choose, in each place where the page shows one."""
    found, processes = [], [process(100, 1, "train", 0, 1000, "root")]
    for i, text in enumerate(HOSTILE):
        one = orphan(i, 100, 200 + i, 300 + i)
        one.update(message=text, fix=text, lock=text, thread=text, subject={"kind": "lock", "name": text})
        for part in one["evidence"]:
            part.update(what=text, thread=text, at=frame(text, text), python=[{**frame(text, text), "source": text}],
                        stack=[native(text, text)])
        found.append(one)
        processes.append(process(200 + i, 100, text, 300 + i, 900, watched=text, argv=[text, text]))
    report = document(found, processes, limits=HOSTILE[:])
    report["command"] = HOSTILE[:]
    return report


RULES = ["fork-orphaned-lock", "fork-threads", "fork-lock-held", "deadlock-cycle", "shm-leaked", "worker-failed", "hang"]


def crowd(count=10_000, people=1_000):
    """Many findings over many processes, in stacks of forty frames, with threads and spans for each."""
    pids = [1000 + i for i in range(people)]
    processes = [process(1000, 1, "launch", 0, 60_000, "root")]
    processes += [process(pid, 1000 + (pid - 1000) // 8, f"worker-{pid}", 20 + pid % 700, 50_000 + pid % 9000) for pid in pids[1:]]
    found = []
    for i in range(count):
        pid, at = pids[i % people], 1000 + i * 5
        one = orphan(i, 1000 + (pid - 1000) // 8, pid, at)
        one.update(rule=RULES[i % len(RULES)], severity=("error", "warning", "note", "note")[i % 4], count=1 + i % 9,
                   message=f"process {pid} waits at work_{i % 50} (train.py:20) for lock number {i}")
        for part in one["evidence"]:
            part["python"] = [frame(f"work_{(i + k) % 50}", line=20 + k) for k in range(20)]
            part["stack"] = [native(f"native_{(i + k) % 50}") for k in range(40)]
        found.append(one)
    found.sort(key=lambda one: ("error", "warning", "note").index(one["severity"]))
    line = {"processes": [[pid] for pid in pids], "threads": [[i, pid, ms(20), 0] for i, pid in enumerate(pids)],
            "spans": [[i % people, i % 2, ms(100 + i), ms(140 + i), f"mutex {i}"] for i in range(40 * people)]}
    return document(found, processes, timeline=line)


def write_page(report, file):
    """The page of a report."""
    assert PAGE.exists(), f"{PAGE} is missing: make {PAGE.relative_to(BUILD.parent)}"
    text = json.dumps(report)
    subprocess.run([PAGE, file], input=text.encode(), check=True)
    return Path(file)
