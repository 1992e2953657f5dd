#!/usr/bin/env python3
"""mpsan ps, from beside the program: hanging, crowded, hidden, dying and dead sessions, and none at all."""
# cases
# limit: 120

import contextlib
import json
import os
import pty
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import SOURCES, build, let_others_in, need, rounds, scratch  # noqa: E402
from mpsantest import BUILD, LIBRARY, MPSAN, Skip, kill_group, main, run_bare, system_python  # noqa: E402

USAGE, SCREEN, PATIENCE = 2, 60, 30
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
FORKS = """
import os, sys, threading
lock = threading.Lock()
lock.acquire()
for i in range(int(sys.argv[1])):
    if not os.fork():
        lock.acquire()
os.wait()
"""
CHURN = """
import os, threading
lock = threading.Lock()
lock.acquire()
threading.Thread(target=lock.acquire, daemon=True).start()
while True:
    children = []
    for i in range(8):
        children.append(os.fork())
        if not children[-1]:
            os._exit(0) if i % 4 else os.kill(os.getpid(), 9)
    for child in children:
        os.waitpid(child, 0)
"""


# Programs that go on beside the test

class Place:
    """A directory for sessions, and what runs there; everything is killed at the end."""

    def __init__(self, public=False):
        self.directory = scratch("sessions")
        self.directory.mkdir()
        self.env = {**os.environ, "TMPDIR": str(self.directory)}
        self.env.pop("MPSAN_DIR", None)
        self.running = []
        if public:
            let_others_in(self.directory)
            os.chown(self.directory, 65534, 65534)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running:
            kill_group(process.pid)
            process.wait()

    def start(self, command, **env):
        self.running.append(subprocess.Popen([str(word) for word in command], env={**self.env, **env},
                                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL, start_new_session=True))

    def preloaded(self, command, library=LIBRARY, **env):
        self.start(command, LD_PRELOAD=str(library), **env)

    def supervised(self, command, *options):
        self.start([MPSAN, "run", *options, "--", *command])

    def ps(self, *arguments, prefix=(), command=MPSAN):
        return run_bare([*prefix, command, "ps", *arguments], env=self.env)

    def document(self, *arguments, **how):
        run = self.ps("--json", *arguments, **how)
        return json.loads(run.out) if run.exit == 0 else None

    def until(self, condition, *arguments, **how):
        """The first document of which the condition is true."""
        end, document = time.monotonic() + PATIENCE, None
        while time.monotonic() < end:
            document = self.document(*arguments, **how)
            if document and condition(document):
                return document
            time.sleep(0.05)
        raise AssertionError(f"not within {PATIENCE} s: {json.dumps(document, indent=1)}")


def program(name):
    return BUILD / "tests/preload" / name


def helper(name):
    return build(SOURCES / f"{name}.c", scratch(name), "-pthread")


def threads(document):
    return [thread for process in document["processes"] for thread in process["threads"]]


def waits(document):
    return [thread["waits_for"] for thread in threads(document) if thread["waits_for"]]


def for_ever(document):
    return [wait for wait in waits(document) if wait["for_ever"]]


def doomed(count):
    return lambda document: len(for_ever(document)) >= count


def text_of(place, *arguments, **how):
    run = place.ps(*arguments, **how)
    assert run.exit == 0 and not run.err, run
    assert len(run.out.splitlines()) <= SCREEN, run.out
    assert "\033" not in run.out, "colours without a terminal"
    return run.out


def says(text, *words):
    missing = [word for word in words if word not in text]
    assert not missing, f"it does not say {missing}:\n{text}"


# Hanging programs

def check_orphan():
    for way in ("preloaded", "supervised"):
        with Place() as place:
            getattr(place, way)([program("fork/fork-orphaned-lock-mutex")])
            document = place.until(lambda seen: len(for_ever(seen)) >= 2 and seen["findings"])
            wait = next(wait for wait in for_ever(document) if wait["name"] == "lock")
            assert wait["kind"] == "mutex" and wait["owner"]["gone"] and not wait["at_least"], wait
            assert "child_wants (fork-orphaned-lock-mutex.c:" in wait["at"], wait
            says(text_of(place), "2 processes", "main thread waits forever (", 'for mutex "lock"', "which the fork did not copy",
                 'holds mutex "lock" taken at', "error: fork-orphaned-lock", "mpsan report " + document["session"])


def check_cycle():
    for way in ("preloaded", "supervised"):
        with Place() as place:
            getattr(place, way)([program("waits/deadlock-cycle-mutex")])
            document = place.until(doomed(3))
            owners = {wait["name"]: wait["owner"]["name"] for wait in for_ever(document) if wait["name"]}
            assert owners == {"accounts": "debit_main", "journal": "audit_main"}, owners
            assert any(thread["name"] == "main thread" and thread["waits_for"]["kind"] == "end of thread"
                       for thread in threads(document)), document
            says(text_of(place), 'waits forever', 'held by thread "debit_main"', 'holds mutex "journal" taken at')


def check_since():
    """A wait is as old as the library says, not as the look."""
    with Place() as place:
        place.preloaded([program("waits/deadlock-cycle-mutex")])
        first, again = (for_ever(place.until(doomed(3))) for _ in range(2))
        assert not any(wait["at_least"] for wait in first + again), (first, again)
        assert [wait["since_ns"] for wait in first] == [wait["since_ns"] for wait in again], (first, again)


def check_python():
    with Place() as place:
        place.supervised([system_python(), "tests/preload/waits/deadlock-cycle-locks.py"])
        document = place.until(doomed(3))
        assert all("deadlock-cycle-locks.py:" in wait["at"] for wait in for_ever(document)), for_ever(document)
        assert all(wait["kind"] == "Python lock" for wait in for_ever(document)), for_ever(document)
        names = {thread["name"] for thread in threads(document)}
        assert "Thread-1 (debit)" in names or "Thread-1" in names, names


def check_named():
    """A lock of Python's has its name before anything is proved, both where it is wanted and where it is held."""
    with Place() as place:
        place.supervised([system_python(), "tests/trial/silent/lock-held-through-sleep.py"])
        place.until(lambda seen: any(wait["kind"] == "Python lock" and not wait["timed"] for wait in waits(seen)))
        says(text_of(place), *(verb + ' Lock "lock" (lock-held-through-sleep.py, local of' for verb in ("for", "holds")))


def check_awaited():
    """A wait for what a queue is to hand over, not for the lock that the queue waits with."""
    with Place() as place:
        place.supervised([system_python(), "tests/preload/waits/deadlock-cycle-queue-dead-end.py"])
        place.until(doomed(1))
        says(text_of(place), "waits forever", "for an item of a queue.Queue")


def check_healthy():
    """Threads that nap, and one that may still be helped: nothing is forever."""
    with Place() as place:
        place.preloaded([helper("ps_crowd"), "9"])
        document = place.until(lambda seen: len(waits(seen)) >= 10)
        assert not for_ever(document), for_ever(document)
        says(text_of(place), 'for mutex "gate", held by the main thread', "with a timeout", "a semaphore each")


def check_handlers():
    """A signal's handler ends these waits: nothing is forever while it may come."""
    with Place() as place:
        place.preloaded([helper("ps_signal")])
        document = place.until(lambda seen: len(waits(seen)) == 2 and all(wait["since_ns"] for wait in waits(seen)))
        assert not for_ever(document), for_ever(document)
        assert {wait["kind"] for wait in waits(document)} == {"semaphore", "end of thread"}, document


# Crowds

def check_many_threads():
    with Place() as place:
        place.preloaded([helper("ps_crowd"), "210"])
        place.until(lambda seen: sum(wait["name"] == "gate" for wait in waits(seen)) == 70)
        text = text_of(place)
        says(text, "211 threads", 'for mutex "gate"', "at wants_gate (ps_crowd.c:", "for a semaphore each")
        assert text.count("- 70 threads ") == 3 and len(text.splitlines()) < 12, text


def spent():
    """Processors' time of what was run to its end: other than the clock's it does not depend on who runs beside it."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def check_many_processes():
    with Place() as place:
        script = scratch("forks.py")
        script.write_text(FORKS)
        place.preloaded([system_python(), script, "300"])
        place.until(lambda seen: len(for_ever(seen)) >= 300)
        before = spent()
        text = text_of(place)
        took = spent() - before
        says(text, "301 processes", "(300 processes)", "Lock \"lock\" (forks.py, global)", "forks.py:7")
        assert took < 2, f"{took} s of processors' time"


# Processes that may not be looked at

@contextlib.contextmanager
def as_nobody():
    """The command, the library and the program where another user reaches them."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    need("setpriv")
    with Place(public=True) as place:
        place.command, place.library = (shutil.copy(file, place.directory) for file in (MPSAN, LIBRARY))
        place.program = shutil.copy(helper("ps_hidden"), place.directory)
        yield place


def hidden(document):
    return [limit for limit in document["limits"] if "ptrace permission" in limit]


def check_undumpable():
    with as_nobody() as place:
        place.start([*NOBODY, "env", f"LD_PRELOAD={place.library}", place.program, "undumpable"])
        how = {"prefix": NOBODY, "command": place.command}
        document = place.until(lambda seen: sum(wait["kind"] == "mutex" for wait in waits(seen)) == 2, **how)
        assert len(hidden(document)) == 1 and not for_ever(document), document
        mutexes = [wait for wait in waits(document) if wait["kind"] == "mutex"]
        assert all(wait["owner"] and wait["owner"]["claimed"] and not wait["at_least"] for wait in mutexes), mutexes
        assert not any(thread["stack"] for thread in threads(document)), "a stack that may not be read"
        says(text_of(place, **how), "waits (", ", claimed by ", "limit: 1 of 1 processes cannot be read")


def check_word_of_the_supervisor():
    """The supervisor has the right, and who asks has not: what it has proved is told."""
    with as_nobody() as place:
        able = [*NOBODY, "--inh-caps=+sys_ptrace", "--ambient-caps=+sys_ptrace"]
        if run_bare([*able, "true"]).exit:
            raise Skip("no ambient capabilities here")
        place.start([*able, place.command, "run", "--", place.program])
        how = {"prefix": [*NOBODY, "--inh-caps=-all", "--bounding-set=-all"], "command": place.command}
        document = place.until(lambda seen: hidden(seen) and doomed(2)(seen), **how)
        assert {wait["owner"]["tid"] for wait in for_ever(document) if wait["kind"] == "mutex"} <= \
            {thread["tid"] for thread in threads(document)}, document
        assert "deadlock-cycle" in {finding["rule"] for finding in document["findings"]}, document["findings"]
        says(text_of(place, **how), "waits forever", "error: deadlock-cycle")


# Ends

def check_dying():
    with Place() as place:
        script = scratch("churn.py")
        script.write_text(CHURN)
        place.preloaded([system_python(), script])
        place.until(lambda seen: len(seen["processes"]) > 8)
        texts = [text_of(place) for _ in range(rounds(3, 20))]  # 3 s each once the table is full
        assert all(texts) and place.document()["live"]
        says(text_of(place), "ended by signal 9 (Killed)", "ended before")


def check_zombie():
    with Place() as place:
        place.preloaded([system_python(), "-c", "import os, time\nos.fork() or os._exit(3)\ntime.sleep(1000)"])
        place.until(lambda seen: "zombie" in {process["state"] for process in seen["processes"]})
        says(text_of(place), "zombie", "1 process,", "main thread waits with a timeout")


def check_dead():
    with Place() as place:
        session = place.directory / "kept"
        place.supervised([program("waits/deadlock-cycle-mutex")], "--on-deadlock=kill", "--dir", session)
        place.running[0].wait(PATIENCE)
        document = place.document(session)
        assert not document["live"] and len(for_ever(document)) == 3, document
        assert document["processes"][0]["end"] == {"signal": signal.SIGABRT}, document["processes"]
        says(text_of(place, session), "ended; last known state", "ended by signal 6 (Aborted)",
             'waited forever for mutex "accounts"', 'held mutex "journal" taken at', "error: deadlock-cycle")
        run = place.ps()
        assert run.exit == USAGE and "no running session of yours" in run.err, run


def check_killed():
    """All are gone without a word of the end."""
    with Place() as place:
        place.preloaded([program("waits/deadlock-cycle-mutex")])
        session = place.until(doomed(3))["session"]
        kill_group(place.running[0].pid)
        place.running[0].wait()
        document = place.document(session)
        owners = {thread["tid"]: thread["waits_for"]["owner"]["tid"] for thread in threads(document)
                  if thread["waits_for"]["kind"] == "mutex"}
        assert not document["live"] and len(owners) == 2, document
        assert all(owners[owners[tid]] == tid for tid in owners), owners
        joined = [wait["owner"] for wait in waits(document) if wait["kind"] == "end of thread"]
        assert len(joined) == 1 and joined[0]["tid"] in owners, joined
        says(text_of(place, session), "waited for mutex", "claimed by", "; held mutex")


# Sessions that are not there

def check_none():
    with Place() as place:
        run = place.ps()
        assert run.exit == USAGE and not run.out, run
        says(run.err.splitlines()[0], "no running session of yours in", str(place.directory))


def check_elsewhere():
    """A session that is not where sessions usually are is named, and not taken."""
    with Place() as place, Place() as other:
        other.supervised([program("waits/deadlock-cycle-mutex")], "--dir", other.directory / "there")
        other.until(doomed(3), other.directory / "there")
        run = place.ps()
        lines = [line for line in run.err.splitlines() if str(other.directory / "there") in line]
        assert run.exit == USAGE and not run.out and len(lines) == 1 and "deadlock-cycle-mutex" in lines[0], run


def check_several():
    with Place() as place:
        place.preloaded([program("waits/deadlock-cycle-mutex")])
        place.until(doomed(3))
        place.supervised([program("fork/fork-orphaned-lock-mutex")])
        end = time.monotonic() + PATIENCE
        run = place.ps()
        while run.exit == 0 and time.monotonic() < end:
            run = place.ps()
        lines = run.err.splitlines()
        assert run.exit == USAGE and "the directory of one" in lines[0] and len(lines) == 3, run
        says(run.err, "deadlock-cycle-mutex", "fork-orphaned-lock-mutex", " for ")
        for line in lines[1:]:
            assert place.ps(line.split()[0]).exit == 0, line


def check_broken():
    with Place() as place:
        whole = place.directory / "whole"
        place.supervised([program("waits/deadlock-cycle-mutex")], "--on-deadlock=kill", "--dir", whole)
        place.running[0].wait(PATIENCE)
        cut, garbage, empty, log = (place.directory / name for name in ("cut", "garbage", "empty", "log"))
        for copy in (cut, garbage, log):
            shutil.copytree(whole, copy)
        os.truncate(cut / "session", 5000)
        (garbage / "session").write_bytes(b"garbage!" * 4000)
        empty.mkdir()
        for directory in (cut, garbage, empty, place.directory / "gone"):
            run = place.ps(directory)
            assert run.exit == USAGE and str(directory) in run.err and len(run.err.splitlines()) == 1, run
        for file in log.glob("*.log"):
            file.write_bytes(file.read_bytes()[:20000] + os.urandom(4096))
        text_of(place, log)


def check_usage():
    with Place() as place:
        for arguments in (["--what"], ["one", "two"]):
            run = place.ps(*arguments)
            assert run.exit == USAGE and "usage: mpsan ps" in run.err and not run.out, run
        run = place.ps("--help")
        assert run.exit == 0 and "mpsan ps [--memory] [--job] [--json] [--tree] [DIR|PID]" in run.out, run


# What is printed

THREAD = {"tid", "name", "state", "waits_for", "holds", "stack", "python", "handling",
          "kind", "about", "at", "handler", "by", "cpu", "seen_s", "wakes", "until_ns"}
WAIT = {"kind", "lock", "name", "text", "call", "timed", "since_ns", "at_least", "owner", "for_ever", "at"}
PROCESS = {"pid", "parent", "name", "role", "argv", "how", "start_ns", "end_ns", "end", "watched", "state", "threads"}
INHERITED = {"ignores_sigint", "ignores_sighup"}  # of whoever runs the tests: a job of a script, nohup


def check_keys():
    with Place() as place:
        place.supervised([program("fork/fork-orphaned-lock-mutex")])
        document = place.until(doomed(2))
        assert set(document) == {"schema", "session", "outside", "recorded", "live", "time_ns", "triage", "processes", "exports", "findings",
                                 "limits"}, set(document)
        assert document["schema"] == "mpsan.ps/1" and document["live"] is True
        for process in document["processes"]:
            assert set(process) - INHERITED == PROCESS and process["state"] == "alive", process
        for thread in threads(document):
            assert set(thread) == THREAD and thread["state"] in ("running", "waiting", "sleeping", "unknown"), thread
            assert all(set(hold) == {"kind", "lock", "name", "text", "taken", "wanted"} for hold in thread["holds"]), thread
        for wait in waits(document):
            assert set(wait) == WAIT, wait
            assert wait["owner"] is None or set(wait["owner"]) == {"pid", "tid", "name", "gone", "copied", "claimed"}, wait


def check_findings():
    """It tells the findings of the report; the wait is seen before the proof of it is written."""
    def rules_of(document):
        return [finding["rule"] for finding in document["findings"]]

    def told_by_report(document):
        reported = run_bare([MPSAN, "report", "--report", "json=-", document["session"]], env=place.env)
        return rules_of(document) and rules_of(document) == rules_of(json.loads(reported.out))

    with Place() as place:
        place.supervised([program("fork/fork-orphaned-lock-mutex")])
        assert "fork-orphaned-lock" in rules_of(place.until(told_by_report))


def on_terminal(place, **env):
    """What is printed on a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen([str(MPSAN), "ps"], env={**place.env, "TERM": "xterm", **env}, stdout=slave, stderr=slave)
    os.close(slave)
    text = b""
    with contextlib.suppress(OSError):  # how a terminal says that nobody is left
        while True:
            piece = os.read(master, 65536)
            if not piece:
                break
            text += piece
    os.close(master)
    assert process.wait() == 0, text
    return text.decode()


def check_terminal():
    with Place() as place:
        place.preloaded([program("waits/deadlock-cycle-mutex")])
        place.until(doomed(3))
        plain = on_terminal(place, COLUMNS="60", NO_COLOR="1")
        cut = [line for line in plain.splitlines() if not line.startswith(("waits for ", "proved: "))]  # sentences wrap
        assert "\033" not in plain and max(map(len, cut)) == 60, plain
        assert "\033[1;31mforever\033[0m" in on_terminal(place, COLUMNS="200", NO_COLOR="")
        assert max(map(len, text_of(place).splitlines())) > 100, "cut without a terminal"


main({
    "orphan": check_orphan,
    "cycle": check_cycle,
    "since": check_since,
    "python": check_python,
    "named": check_named,
    "awaited": check_awaited,
    "healthy": check_healthy,
    "handlers": check_handlers,
    "many_threads": check_many_threads,
    "many_processes": check_many_processes,
    "undumpable": check_undumpable,
    "word_of_the_supervisor": check_word_of_the_supervisor,
    "dying": check_dying,
    "zombie": check_zombie,
    "dead": check_dead,
    "killed": check_killed,
    "none": check_none,
    "elsewhere": check_elsewhere,
    "several": check_several,
    "broken": check_broken,
    "usage": check_usage,
    "keys": check_keys,
    "findings": check_findings,
    "terminal": check_terminal,
})
