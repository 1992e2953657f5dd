#!/usr/bin/env python3
"""The registry of exported device memory, between processes on the stand-in for CUDA: what is found, opened and read,
what goes with its owner, and who may look."""
# cases
# limit: 120

import errno
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import program  # noqa: E402
from mpsantest import (BUILD, LIBRARY, MPSAN, ROOT, Skip, dump, find, functions_of, main, run_bare, show,  # noqa: E402
                       verdicts)

MIB = 1 << 20
LIVE = 100_000
NOBODY = 65534
MALLOC, POOL, VMM = 1, 4, 5  # struct mpsan_export.kind


class Actor:
    """One process of tests/faults/registry.c in a session of its own directory."""

    def __init__(self, session, auto=True, preload=True, user=None, run=()):
        env = {**os.environ, "LD_LIBRARY_PATH": str(BUILD / "fake"), "MPSAN_DIR": str(session)}
        env.pop("MPSAN_OPTIONS", None)
        if auto:
            env["MPSAN_OPTIONS"] = "auto-export=0"
        if preload:
            env["LD_PRELOAD"] = str(LIBRARY)
        self.process = subprocess.Popen([*run, program("registry")], env=env, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, user=user, group=user,
                                        extra_groups=None if user is None else [])
        result, self.pid = self.answer()
        assert result == 0, f"no CUDA here: {result}"

    def answer(self):
        return [int(word) if word.lstrip("-").isdigit() else word for word in self.process.stdout.readline().split()]

    def tell(self, *words):
        print(*words, file=self.process.stdin, flush=True)

    def ask(self, *words):
        self.tell(*words)
        answer = self.answer()
        assert answer, f"died at {words}: {self.process.wait()}"
        return answer[0] if len(answer) == 1 else answer

    def get(self, *words):
        """The second word of an answer whose result is 0."""
        answer = self.ask(*words)
        assert answer[0] == 0, f"{words}: {answer}"
        return answer[1]

    def open(self):
        return self.get("open")

    def end(self):
        if self.process.poll() is None:
            self.tell("exit")
        return self.process.wait()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def new_session():
    directory = Path(tempfile.mkdtemp()) / "session"
    directory.mkdir(mode=0o700)
    return directory


def listing(session):
    run = run_bare([MPSAN, "ipc", "--json", session])
    assert run.exit == 0, run.err
    return json.loads(run.out)


def check_every_kind():
    """Found by any address, opened, and the producer's bytes are there."""
    session = new_session()
    producer, consumer = Actor(session), Actor(session)
    for kind, number, byte in (("alloc", MALLOC, 11), ("vmm", VMM, 22), ("pool", POOL, 33)):
        base = producer.get(kind, 2 * MIB, byte)
        for offset in (0, MIB, 2 * MIB - 1):
            found = consumer.ask("find", producer.pid, base + offset)
            assert found == [0, producer.pid, base, 2 * MIB, offset, number, "-"], found
        assert consumer.ask("find", producer.pid, base - 1)[0] == -errno.ENOENT
        consumer.ask("find", producer.pid, base + MIB)
        pointer = consumer.open()
        assert consumer.ask("read", pointer, MIB) == [0, byte], kind
        assert consumer.ask("close", pointer) == 0
        assert consumer.ask("close", pointer) == -errno.EINVAL
    opens = [event for event in dump(session) if event["event"] == "ipc_open"]
    assert len(opens) == 3 and all(event["owner_slot"] and event["owner_stack"] for event in opens), opens
    assert producer.end() == consumer.end() == 0


def check_names():
    """A name needs no --auto-export, goes with its memory, and is taken over from the dead."""
    session = new_session()
    producer, consumer = Actor(session, auto=False), Actor(session, auto=False)
    base, other = producer.get("alloc", 4096, 1), producer.get("alloc", 4096, 2)
    assert consumer.ask("find-name", "weights")[0] == -errno.ENOENT
    assert consumer.ask("find", producer.pid, base)[0] == -errno.ENOENT
    assert producer.ask("name", base + 5, "weights") == 0
    assert producer.ask("name", base, "weights") == 0
    assert producer.ask("name", other, "weights") == -errno.EEXIST
    assert producer.ask("name", 4096, "nothing") == -errno.ENOENT
    assert producer.ask("name", producer.get("managed", 4096), "managed") == -errno.EOPNOTSUPP
    assert consumer.ask("find-name", "weights") == [0, producer.pid, base, 4096, 0, MALLOC, "weights"]
    assert consumer.ask("read", consumer.open(), 4096) == [0, 1]
    assert producer.ask("free", base) == 0
    assert consumer.ask("find-name", "weights")[0] == -errno.ENOENT
    frees = [event for event in dump(session) if event["event"] == "ipc_free"]
    assert len(frees) == 1 and frees[0]["base"] == hex(base), frees
    assert producer.ask("name", other, "weights") == 0
    producer.kill()
    mine = consumer.get("alloc", 4096, 3)
    assert consumer.ask("name", mine, "weights") == 0
    assert consumer.ask("find-name", "weights")[1] == consumer.pid
    assert consumer.ask("name", mine, "red\x1b[31m") == 0
    assert "red [31m " in run_bare([MPSAN, "ipc", session]).out
    consumer.end()


def check_opening():
    """The same mapping for a second open; memory that ended since, one's own, and a forked child's are refused."""
    session = new_session()
    producer, consumer = Actor(session), Actor(session)
    base = producer.get("alloc", 4096, 7)
    consumer.ask("find", producer.pid, base + 100)
    first, second = consumer.open(), consumer.open()
    assert first == second
    assert consumer.ask("close", first) == 0
    assert consumer.ask("read", second, 100) == [0, 7]
    assert listing(session)["exports"][0]["importers"][0]["pid"] == consumer.pid
    assert consumer.ask("close", second) == 0
    assert listing(session)["exports"][0]["importers"] == []
    assert consumer.ask("child", producer.pid, base) == -errno.ECHILD
    assert producer.ask("child", producer.pid, base) == -errno.ECHILD
    assert consumer.ask("find", producer.pid, base)[0] == 0
    assert producer.ask("find", producer.pid, base)[0] == 0
    assert producer.ask("open")[0] == -errno.EINVAL
    assert producer.ask("free", base) == 0
    assert consumer.ask("open")[0] == -errno.ESTALE
    assert producer.end() == consumer.end() == 0


def check_program_exports():
    """Without the option, what a program makes a handle of itself can be found, and nothing else."""
    session = new_session()
    producer, consumer = Actor(session, auto=False), Actor(session, auto=False)
    shared, private = producer.get("alloc", 4096, 5), producer.get("alloc", 4096, 6)
    assert producer.ask("export", shared) == 0
    assert consumer.ask("find", producer.pid, private)[0] == -errno.ENOENT
    assert consumer.ask("find", producer.pid, shared)[0] == 0
    assert consumer.ask("read", consumer.open(), 4096) == [0, 5]
    assert [row["by"] for row in listing(session)["exports"]] == ["program"]
    assert (session / "exports").stat().st_size < 2 * MIB
    handle = session.parent / "handle"
    assert producer.ask("export-to", handle) == 0
    other = Actor(session, auto=False)
    pointer = other.get("open-from", handle)
    pids = {importer["pid"] for importer in listing(session)["exports"][0]["importers"]}
    assert pids == {consumer.pid, other.pid}, pids
    assert other.ask("close-own", pointer) == 0
    assert len(listing(session)["exports"][0]["importers"]) == 1
    assert other.end() == 0
    assert producer.end() == consumer.end() == 0


def check_the_dead():
    """Entries go with their owner: at its exit, when it is killed and looked for, when the supervisor sees it."""
    session = new_session()
    consumer = Actor(session)
    for end in (Actor.end, Actor.kill):
        producer = Actor(session)
        base = producer.get("alloc", 4096, 1)
        producer.ask("vmm", 2 * MIB, 1)
        assert consumer.ask("find", producer.pid, base)[0] == 0
        assert len(listing(session)["exports"]) == 2
        end(producer)
        assert consumer.ask("find", producer.pid, base)[0] == -errno.ESRCH
        assert consumer.ask("open")[0] == -errno.ESRCH
    producer = Actor(session)
    base = producer.get("alloc", 4096, 1)
    consumer.ask("find", producer.pid, base)
    pointer = consumer.open()
    assert producer.ask("free", base) == 0
    rows = listing(session)["exports"]
    assert [row["freed"] for row in rows] == [True] and rows[0]["importers"][0]["pid"] == consumer.pid, rows
    assert consumer.ask("close", pointer) == 0
    assert producer.ask("find", consumer.pid, base)[0] == -errno.ENOENT
    assert producer.end() == consumer.end() == 0
    assert listing(session)["exports"] == []


def check_judged():
    """What is opened through the registry has users: memory freed under them, and an owner that ends under them."""
    for end, slug in (("free", "ipc-freed-while-open"), ("exit", "ipc-producer-exited"), (None, None)):
        session = new_session()
        producer, consumer = Actor(session), Actor(session)
        base = producer.get("alloc", 4096, 1)
        producer.ask("alloc", 4096, 2)  # nobody opens this one: that is nobody's fault
        consumer.ask("find", producer.pid, base + 7)
        pointer = consumer.open()
        if end == "free":
            assert producer.ask("free", base) == 0
        elif end == "exit":
            producer.end()
            time.sleep(1.2)  # within a second both may just be ending
        assert consumer.ask("close", pointer) == 0
        consumer.end()
        producer.end()
        report = json.loads(run_bare([MPSAN, "report", "--report", "json=-", session]).out)
        assert verdicts(report) == ({f"{slug} error"} if slug else set()), show(report)
        if slug:
            finding = find(report, slug)
            assert {step["pid"] for step in finding["evidence"]} == {producer.pid, consumer.pid}, show(report)
            assert "alloc" in functions_of(finding), show(report)


def check_exec():
    """Another program in the same process has none of its memory, whether it is watched or not."""
    session = new_session()
    consumer = Actor(session)
    for watched, opened in ((1, errno.ESRCH), (0, errno.ESTALE)):
        producer = Actor(session)
        base = producer.get("alloc", 4096, 1)
        assert consumer.ask("find", producer.pid, base)[0] == 0
        assert producer.ask("exec", watched) == 0
        producer.tell("it runs")
        assert producer.process.stdout.readline() == "it runs\n"
        assert consumer.ask("find", producer.pid, base)[0] == -errno.ENOENT
        assert consumer.ask("open")[0] == -opened
        assert listing(session)["exports"] == []
        producer.process.stdin.close()
        assert producer.process.wait() == 0
    assert consumer.end() == 0


def check_forbidden():
    """A descriptor that may not be taken: the cause is stated."""
    if os.geteuid():
        raise Skip("needs root, to be a user without its rights")
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        os.chown(place, NOBODY, NOBODY)
        producer, consumer = Actor(place, user=NOBODY), Actor(place, user=NOBODY)
        vmm = producer.get("vmm", 2 * MIB, 1)
        assert producer.ask("hide") == 0
        assert consumer.ask("find", producer.pid, vmm)[0] == 0
        assert consumer.ask("open")[0] == -errno.EPERM
        refused = [event for event in dump(place) if event["event"] == "ipc_refused"]
        assert [event["cause"] for event in refused] in (["YAMA"], ["CAPABILITY"]), refused
        assert producer.end() == consumer.end() == 0
    finally:
        shutil.rmtree(place)


def check_no_descriptors():
    """Who cannot look into /proc takes nobody for dead."""
    session = new_session()
    producer, consumer = Actor(session), Actor(session)
    base = producer.get("alloc", 4096, 1)
    consumer.ask("alloc", 4096, 1)  # it has the registry, and has not looked at the other process yet
    assert consumer.ask("find-full", producer.pid, base)[0] == 0
    assert producer.end() == consumer.end() == 0


def check_zombie():
    """A process that was killed and whose parent has not asked for its end has no memory any more."""
    session = new_session()
    producer, consumer = Actor(session), Actor(session)
    base = producer.get("alloc", 4096, 1)
    assert consumer.ask("find", producer.pid, base)[0] == 0
    producer.process.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, producer.pid, os.WEXITED | os.WNOWAIT)
    while consumer.ask("find", producer.pid, base)[0] == 0:  # /proc is asked once a millisecond
        pass
    assert consumer.ask("find", producer.pid, base)[0] == -errno.ESRCH
    assert listing(session)["exports"] == []
    producer.process.wait()
    assert consumer.end() == 0


def check_dead_consumer():
    """An importer that is killed counts no more."""
    session = new_session()
    producer, consumer = Actor(session), Actor(session)
    base = producer.get("alloc", 4096, 1)
    consumer.ask("find", producer.pid, base)
    consumer.open()
    assert listing(session)["totals"]["importers"] == 1
    consumer.kill()
    rows = listing(session)
    assert rows["totals"]["importers"] == 0 and rows["exports"][0]["opened"], rows
    assert producer.end() == 0


def check_supervisor():
    """`mpsan run` takes out what the killed have left, without anybody looking for it."""
    session = new_session()
    follower = subprocess.Popen([MPSAN, "run", "--auto-export", "--dir", session, "--", "/bin/cat"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        follower.stdin.write(b"it runs\n")
        follower.stdin.flush()
        assert follower.stdout.readline() == b"it runs\n"
        killed, other = Actor(session), Actor(session)
        killed.ask("alloc", 4096, 1)
        other.ask("alloc", 4096, 1)
        assert len(listing(session)["exports"]) == 2
        killed.kill()
        while len(listing(session)["exports"]) != 1:  # the test's own limit ends this
            pass
        assert other.end() == 0
    finally:
        follower.stdin.close()
        follower.wait()


def check_option():
    """--auto-export=BYTES leaves out what is smaller."""
    session = Path(tempfile.mkdtemp()) / "session"
    producer = Actor(session, auto=False, preload=False,
                     run=(MPSAN, "run", "--auto-export=1M", "--report", "json=/dev/null", "--dir", session, "--"))
    producer.ask("alloc", MIB - 1, 1)
    large = producer.get("alloc", MIB, 1)
    assert [row["base"] for row in listing(session)["exports"]] == [hex(large)]
    assert producer.end() == 0


def check_churn():
    """Memory that comes and goes in three threads while another process looks for it and opens it."""
    session = new_session()
    producer, consumer = Actor(session), Actor(session)
    producer.ask("alloc", 512, 1)
    result, low, high = producer.ask("churn", 2000)
    assert result == 0 and low < high
    base = producer.get("alloc", 512, 1)
    assert consumer.ask("find", producer.pid, base)[0] == 0
    producer.tell("churn", 100000)
    other, opened, gone = consumer.ask("poke", low, high)
    assert other == 0 and opened > 100 and gone > 100, (other, opened, gone)
    assert producer.answer()[0] == 0
    rows = listing(session)["exports"]
    assert len(rows) == 2 and not any(row["importers"] for row in rows), rows
    assert producer.end() == consumer.end() == 0


def check_many():
    """100 000 live exports: the time to fill and to find is printed, and the list comes quickly."""
    session = new_session()
    producer, consumer = Actor(session), Actor(session)
    result, first, last, alloc_ns = producer.ask("many", LIVE)
    assert result == 0
    plain = Actor(session, preload=False)
    bare_ns = plain.ask("many", LIVE)[3]
    plain.end()
    find_ns = producer.get("find-many", LIVE)
    other_ns = consumer.get("find-others", producer.pid, last + 511)
    begin = os.times().elapsed
    text = run_bare([MPSAN, "ipc", session])
    seconds = os.times().elapsed - begin
    assert text.exit == 0 and len(text.out.splitlines()) < 45, text.out
    assert f"{LIVE} exports, " in text.out.splitlines()[-1], text.out
    assert listing(session)["totals"]["exports"] == LIVE
    print(f"{LIVE} live exports: allocation {bare_ns} ns bare, {alloc_ns} ns exported; found in {find_ns} ns by the "
          f"owner, {other_ns} ns by another process; listed in {seconds:.2f} s")
    assert producer.end() == consumer.end() == 0


def check_other_users():
    """Nobody else comes near a handle."""
    if os.geteuid():
        raise Skip("needs root, to be another user")
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        place.chmod(0o755)
        session = place / "session"
        session.mkdir(mode=0o700)
        producer = Actor(session)
        producer.ask("alloc", 4096, 1)
        assert stat.S_IMODE((session / "exports").stat().st_mode) == 0o600
        script = (f"import os; os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY}); os.listdir({str(place)!r})\n"
                  f"try: open({str(session / 'exports')!r}); print('open')\nexcept PermissionError: print('refused')")
        run = run_bare([sys.executable, "-c", script])
        assert run.out == "refused\n", run
        assert producer.end() == 0
    finally:
        shutil.rmtree(place)


def check_command():
    """Text and JSON of a session under way; one line for what is none."""
    session = new_session()
    producer, consumer = Actor(session), Actor(session)
    base = producer.get("alloc", 3 * MIB, 1)
    producer.ask("name", base, "weights")
    producer.ask("managed", 4096)
    consumer.ask("find-name", "weights")
    consumer.open()
    text = run_bare([MPSAN, "ipc", session])
    assert text.exit == 0
    row = text.out.splitlines()[1].split()
    assert row[0] == str(producer.pid) and "weights" in row and row[-1] == str(consumer.pid), text.out
    assert "registry" in row and "3" in row and "MiB" in row, text.out
    assert "1 export, 3 MiB, of 1 process; 1 process has something open" in text.out, text.out
    assert "no handles: 1" in text.out, text.out
    document = listing(session)
    row = document["exports"][0]
    assert document["schema"] == "mpsan.ipc/1" and row["bytes"] == 3 * MIB and row["name"] == "weights", row
    assert row["base"] == hex(base) and row["kind"] == "malloc" and row["by"] == "library" and row["state"] == "alive"
    assert [importer["pid"] for importer in row["importers"]] == [consumer.pid], row
    seen = run_bare([MPSAN, "ps", session])
    assert "exports of device memory: 1, importers: 1 " in seen.out, seen
    assert producer.end() == consumer.end() == 0
    for wrong in (["/nonexistent"], [session.parent], ["--bad"], [session, session]):
        run = run_bare([MPSAN, "ipc", *wrong])
        assert run.exit == 2 and len(run.err.splitlines()) == 1 and not run.out, run


def check_damage():
    """A registry that was cut off or overwritten is one line, and no crash of those who come later."""
    session = new_session()
    producer = Actor(session)
    producer.ask("alloc", 4096, 1)
    producer.kill()
    whole = (session / "exports").read_bytes()[:65536]
    for broken in (b"", b"x", whole, b"\0" * 65536, whole[:16] + b"\xff" * 65520):
        (session / "exports").write_bytes(broken)
        run = run_bare([MPSAN, "ipc", session])
        assert run.exit == 2 and len(run.err.splitlines()) == 1, (run, broken[:20])
        actor = Actor(session)
        assert actor.ask("alloc", 4096, 1)[0] == 0
        assert actor.ask("find-name", "weights")[0] == -errno.ENOENT
        assert actor.end() == 0


def check_without_library():
    actor = Actor(new_session(), preload=False)
    base = actor.get("alloc", 4096, 1)
    assert actor.ask("find", actor.pid, base)[0] == -errno.ENOSYS
    assert actor.ask("name", base, "weights") == -errno.ENOSYS
    assert actor.ask("open")[0] == -errno.ENOSYS
    assert actor.ask("close", base) == -errno.ENOSYS
    assert actor.end() == 0


def check_cxx():
    """The header as a C++ program sees it."""
    source = Path(tempfile.mkdtemp()) / "program.cpp"
    source.write_text('#include "mpsan.h"\nint main() { mpsan_export found = {}; void *pointer; return mpsan_ipc_find(1, &found, '
                      "&found) != -ENOSYS || mpsan_ipc_open(&found, &pointer) != -ENOSYS; }\n")
    built = source.with_suffix("")
    if not shutil.which("c++"):
        raise Skip("no C++ compiler")
    subprocess.run(["c++", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include", source, "-o", built], check=True)
    assert run_bare([built]).exit == 0


main({
    "every_kind": check_every_kind,
    "names": check_names,
    "opening": check_opening,
    "program_exports": check_program_exports,
    "the_dead": check_the_dead,
    "judged": check_judged,
    "exec": check_exec,
    "forbidden": check_forbidden,
    "no_descriptors": check_no_descriptors,
    "zombie": check_zombie,
    "dead_consumer": check_dead_consumer,
    "supervisor": check_supervisor,
    "option": check_option,
    "churn": check_churn,
    "many": check_many,
    "other_users": check_other_users,
    "command": check_command,
    "damage": check_damage,
    "without_library": check_without_library,
    "cxx": check_cxx,
})
