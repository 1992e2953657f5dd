#!/usr/bin/env python3
"""mpsan attach, ps and top on programs in other namespaces and roots, from outside, from inside and from beside."""
# cases

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import running  # noqa: E402
from mpsantest import BUILD, MPSAN, ROOT, Skip, main, system_python  # noqa: E402

LOCKS = ("import threading\na, b, both = threading.Lock(), threading.Lock(), threading.Barrier(2)\n"
         "def one():\n    with a:\n        both.wait()\n        with b: pass\n"
         "def two():\n    with b:\n        both.wait()\n        with a: pass\n"
         "threading.Thread(target=one, name='one').start()\ntwo()\n")
MUTEXES = """#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *ONE(void *unused) { pthread_mutex_lock(&a); pthread_barrier_wait(&both);
	pthread_mutex_lock(&b); return unused; }
static int TWO(void) { pthread_mutex_lock(&b); pthread_barrier_wait(&both); return pthread_mutex_lock(&a); }
int main(void)
{
	pthread_t thread;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, ONE, NULL);
	return TWO();
}
"""


# A child takes a mutex in shared memory, and is killed or stays; another one waits for it.
SHARED = """#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **word)
{
	pthread_mutex_t *mutex = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t kind;
	pid_t owner;
	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(mutex, &kind);
	if (!(owner = fork())) { pthread_mutex_lock(mutex); for (;;) pause(); }
	sleep(1);
	if (count > 1 && !strcmp(word[1], "kill")) { kill(owner, SIGKILL); waitpid(owner, 0, 0); }
	if (!fork()) { prctl(PR_SET_NAME, "waiter"); return pthread_mutex_lock(mutex); }
	for (;;) pause();
}
"""


def written(path):
    """LOCKS in a file that is older, by the kernel's clock of processes, than what starts next."""
    path.write_text(LOCKS)
    while time.time() < path.stat().st_ctime + 0.05:
        time.sleep(0.01)


def need(*command):
    if subprocess.run(command, capture_output=True).returncode:
        raise Skip(f"not possible here: {' '.join(command)}")


def children(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def descendant(process, fits):
    """The PID, here, of the first one that fits; the time limit of tests ends this."""
    while process.poll() is None:
        todo = [process.pid]
        while todo:
            pid = todo.pop()
            with contextlib.suppress(OSError):
                if fits(Path(f"/proc/{pid}")):
                    return pid
                todo += children(pid)
        time.sleep(0.02)
    raise AssertionError(f"ended with {process.returncode}")


def child_of(process, name):
    """That runs a program of that name."""
    return descendant(process, lambda place: Path(os.readlink(place / "exe")).name.startswith(name))


def named(process, name):
    """Whose main thread has that name."""
    return descendant(process, lambda place: Path(place, "comm").read_text().strip() == name)


def mpsan(*words, before=(), **options):
    return subprocess.run([str(word) for word in (*before, MPSAN, *words)], capture_output=True, text=True, timeout=60, **options)


def deadlock(pid, before=()):
    """The finding, the report and its text, of the first look that has proved the cycle."""
    while True:
        with tempfile.TemporaryDirectory(prefix="mpsan-test-", dir="/tmp") as place:  # other users may get there
            file = Path(place, "report.json")
            os.chmod(place, 0o777)
            run = mpsan("attach", "--no-conf", "--report", f"json={file}", "--report", "text=-", pid, before=before,
                        env={**os.environ, "TMPDIR": place})
            assert file.exists(), run.stderr
            read = json.loads(file.read_text())
        loud = {finding["rule"] for finding in read["findings"] if finding["severity"] != "note"}
        assert loud <= {"deadlock-cycle"}, loud
        if loud:
            return next(one for one in read["findings"] if one["rule"] == "deadlock-cycle"), read, run.stdout
        time.sleep(0.1)


def functions(finding):
    return {frame["function"] for step in finding["evidence"] for kind in ("stack", "python") for frame in step.get(kind) or ()}


def compiled(place, one, two):
    """A program that hangs in functions of these names."""
    source = Path(place, "code.c")
    source.write_text(MUTEXES)
    subprocess.run(["cc", "-g", "-pthread", f"-DONE={one}", f"-DTWO={two}", "-o", Path(place, "program"), source], check=True)


def check_other_files():
    """What a path means for the program is read, not what it means here."""
    need("unshare", "--mount", "true")
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        for folder, names, mark in (("theirs", ("inner_one", "inner_two"), "true"), ("ours", ("outer_one", "outer_two"), "false")):
            Path(place, folder).mkdir()
            compiled(f"{place}/{folder}", *names)
            Path(place, folder, "code.py").write_text(LOCKS.replace("with a: pass", f"with a: {mark}()"))
        bound = f"mount --bind {place}/theirs {place}/ours && exec "
        with running("unshare", "--mount", "sh", "-c", bound + f"{place}/ours/program") as process:
            finding, _, text = deadlock(child_of(process, "program"))
            assert {"inner_one", "inner_two"} <= functions(finding) and "outer" not in text, text
            assert "int TWO(void) { pthread_mutex_lock(&b)" in text, text
        with running("unshare", "--mount", "sh", "-c", bound + f"{system_python()} {place}/ours/code.py") as process:
            _, _, text = deadlock(child_of(process, "python"))
            assert "with a: true()" in text and "with a: false()" not in text, text


def check_replaced_files():
    """A program and its library that were replaced while it runs, as by an upgrade."""
    if os.geteuid():
        raise Skip("needs root")
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        compiled(place, "old_one", "old_two")
        with running(Path(place, "program")) as process:
            while "futex" not in Path(f"/proc/{process.pid}/wchan").read_text():
                time.sleep(0.02)
            Path(place, "program").rename(Path(place, "before"))
            compiled(place, "new_one", "new_two")
            Path(place, "before").unlink()
            finding, _, text = deadlock(process.pid)
            assert {"old_one", "old_two"} <= functions(finding) and "new_one" not in text, text


def check_pid_namespace():
    """TIDs in mutexes are those of the namespace; processes are shown with both numbers, everywhere."""
    need("unshare", "--pid", "--fork", "true")
    program = BUILD / "tests/preload/waits/deadlock-cycle-mutex"
    with running("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", f"sleep 600 & {program}; :") as process:
        outer = child_of(process, "deadlock-cycle")
        finding, read, text = deadlock(outer)
        pids = {one["pid"]: one.get("outer_pid") for one in read["processes"]}
        inner = finding["pid"]
        assert finding["outer_pid"] == outer == pids[inner] and inner < 20, (finding["pid"], pids)
        assert 1 in pids and "held by" in finding["message"], finding
        assert f"process {inner} ({outer} outside)" in text and f"=={inner} ({outer} outside)==" in text, text
        ps = mpsan("ps", outer).stdout
        assert f"{inner} ({outer} outside)" in ps and "held by" in ps, ps
        document = json.loads(mpsan("ps", "--json", "--tree", process.pid).stdout)
        pids = {one["pid"]: one.get("outer_pid") for one in document["processes"]}
        assert pids[inner] == outer and pids[process.pid] is None, document
        top = mpsan("top", "--once", outer).stdout
        assert f"{inner} ({outer} outside)" in top, top


def check_kept():
    """A session that was kept tells both numbers, and no file of ours, when the container is gone."""
    need("unshare", "--pid", "--mount", "--fork", "true")
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        for folder in ("theirs", "ours"):
            Path(place, folder).mkdir()
            written(Path(place, folder, "code.py"))
        words = f"mount --bind {place}/theirs {place}/ours && {system_python()} {place}/ours/code.py"
        with running("unshare", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc", "sh", "-c", words + "; :") as process:
            outer = child_of(process, "python")
            deadlock(outer)
            kept = mpsan("attach", "--no-conf", "--dir", f"{place}/kept", outer)
            assert kept.returncode == 66, kept
        while Path(f"/proc/{outer}").exists():
            time.sleep(0.02)
        again = mpsan("report", "--no-conf", f"{place}/kept")
        assert again.returncode == 66 and f"({outer} outside)" in again.stdout, again
        assert "with a: pass" in kept.stdout and "with a: pass" not in again.stdout, again.stdout


def check_user_namespace():
    """A rootless container, from root and from the user who started it."""
    if os.geteuid():
        raise Skip("needs root")
    user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    need(*user, "unshare", "--user", "--map-root-user", "--pid", "--fork", "true")
    program = BUILD / "tests/preload/waits/deadlock-cycle-mutex"
    with running(*user, "unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
                 f"{program}; :", cwd="/") as process:
        outer = child_of(process, "deadlock-cycle")
        for who in ((), user):
            finding, _, _ = deadlock(outer, before=who)
            assert finding["outer_pid"] == outer and finding["pid"] < 20, finding


def debians():
    for root in (ROOT / "build/pythons/trixie", ROOT / "build/pythons/sid"):
        if (root / "usr/bin/python3").exists():
            yield root.resolve()


def check_other_debian():
    """A container with another libc and Python, by pivot_root and by chroot."""
    need("unshare", "--pid", "--mount", "--fork", "true")
    if not list(debians()):
        raise Skip("no other Debian (tools/dev/bootstrap --pythons)")
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        written(Path(place, "code.py"))
        ways = ("cd {} && pivot_root . mnt && umount -l /mnt && exec", "exec chroot {}")
        for root, enter in zip(list(debians()) * 2, ways):
            words = (f"mount --rbind {root} {root} && mount -t proc proc {root}/proc && mount --bind {place} {root}/tmp && "
                     f"{enter.format(root)} python3 /tmp/code.py")
            with running("unshare", "--pid", "--mount", "--fork", "--kill-child", "sh", "-c", words) as process:
                outer = child_of(process, "python3")
                finding, read, text = deadlock(outer)
                assert finding["outer_pid"] == outer and finding["pid"] == 1, finding
                assert "with a: pass" in text and 'Lock "a" (code.py, global), held by' in text, text
                ps = json.loads(mpsan("ps", "--json", outer).stdout)
                waits = [frame["function"] for one in ps["processes"] if one["pid"] == 1 for thread in one["threads"]
                         for frame in thread["stack"]]
                assert any(re.search("PyThread|PyMutex|_PySemaphore", name or "") for name in waits), waits


def check_bubblewrap():
    if not shutil.which("bwrap"):
        raise Skip("no bwrap")
    words = ("bwrap", "--ro-bind", "/", "/", "--tmpfs", "/tmp", "--proc", "/proc", "--unshare-all", "--die-with-parent")
    need(*words, "true")
    with running(*words, system_python(), "-c", LOCKS) as process:
        outer = child_of(process, "python")
        finding, _, _ = deadlock(outer)
        assert finding["outer_pid"] == outer, finding


def check_inside():
    """From inside, and from a container beside it with the same PID namespace and files of its own."""
    need("unshare", "--pid", "--mount", "--fork", "true")
    program = BUILD / "tests/preload/waits/deadlock-cycle-mutex"
    with running("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", f"{program}; :") as process:
        outer = child_of(process, "deadlock-cycle")
        inner = deadlock(outer)[0]["pid"]
        enter = ("nsenter", "--target", outer, "--pid")
        for before in ((*enter, "--mount"), (*enter, "unshare", "--mount", "--fork", "--mount-proc")):
            finding, _, text = deadlock(inner, before=before)
            assert finding["pid"] == inner and "outer_pid" not in finding and "outside)" not in text, text
        for command in ("attach", "ps", "top"):
            run = mpsan(command, inner, before=enter)
            assert run.returncode == 2 and len(run.stderr.splitlines()) == 1 and "another PID namespace" in run.stderr, run


def check_shared_mutex():
    """Its owner's number is one of the PID namespace's: dead if no thread has it there, also where the owner is in no tree that is seen."""
    need("unshare", "--pid", "--fork", "true")
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        source, program = Path(place, "code.c"), Path(place, "program")
        source.write_text(SHARED)
        subprocess.run(["cc", "-g", "-pthread", "-o", program, source], check=True)
        for word, expected in ("kill", [("lock-owner-killed", "error")]), ("stay", []):
            with running("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", program, word) as process:
                file = Path(place, "report.json")
                run = mpsan("attach", "--no-conf", "--report", f"json={file}", "--tree", named(process, "waiter"))
                assert run.returncode in (0, 66), run
                found = [(one["rule"], one["severity"]) for one in json.loads(file.read_text())["findings"] if one["severity"] != "note"]
                assert found == expected, (word, found)


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
