#!/usr/bin/env python3
"""mpsan attach --core: cores of hanging, healthy and crashed programs, by gcore and by the kernel; damaged ones."""
# cases
# limit: 120

import bz2
import contextlib
import gzip
import json
import lzma
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import cores  # noqa: E402
from faults import build  # noqa: E402
from mpsantest import BUILD, MPSAN, ROOT, Skip, kill_group, main, other_pythons, system_python  # noqa: E402

PRELOAD = ROOT / "tests/preload"
CORES = 4  # further ones, where a waiter for the GIL was awake
MUTATED = int(os.environ.get("MPSAN_FULL", "0")) * 5000 or 300
MIB = 1 << 20


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        yield Path(place)


@contextlib.contextmanager
def started(*command, threads=1, prepare=None):
    """A program in a group of its own, once all its threads stand still."""
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=prepare)
    try:
        cores.still(process.pid, threads)
        yield process
    finally:
        kill_group(process.pid)
        process.wait()


def attach(*words):
    run = subprocess.run([str(word) for word in (MPSAN, "attach", "--no-conf", *words)], capture_output=True, text=True,
                         timeout=60)
    return run.returncode, run.stdout, run.stderr


def report(*words):
    """The exit status, the findings that are no notes, and the whole JSON report."""
    status, out, err = attach("--report", "json=-", *words)
    assert status in (0, 66), (status, err)
    read = json.loads(out)
    return status, [finding for finding in read["findings"] if finding["severity"] != "note"], read


def words_of(finding):
    return " ".join([finding["message"], *(step["what"] for step in finding["evidence"])])


def told(core, rule, *words):
    """The text of the one finding that a core must have."""
    status, findings, read = report("--core", core, *words)
    assert status == 66 and [finding["rule"] for finding in findings] == [rule], (core, findings, read["limits"])
    return words_of(findings[0])


def silent(core):
    status, findings, read = report("--core", core)
    assert status == 0 and not findings, findings
    return read


@contextlib.contextmanager
def both_cores(*command, threads, child=False):
    """Cores of a program, or of its only child, by gcore, where it is there, and by the kernel."""
    with folder() as place:
        prepare = cores.may_dump(place)
        with started(*command, threads=threads, prepare=prepare) as process:
            pid = process.pid
            while child and pid == process.pid:
                pid = int((Path(f"/proc/{pid}/task/{pid}/children").read_text().split() or [pid])[0])
            if child:
                cores.still(pid, 1)
            found = [cores.gcore(pid, place)] if shutil.which("gcore") else []
            yield [*found, cores.kernel_core(pid, place, signal.SIGABRT)]


def check_mutex():
    with both_cores(BUILD / "tests/preload/waits/deadlock-cycle-mutex", threads=3) as found:
        for core in found:
            text = told(core, "deadlock-cycle")
            assert 'mutex "journal", held by thread' in text and 'mutex "accounts", held by thread' in text, text
        _, out, err = attach("--core", found[-1])
        assert "was ended by SIGABRT" in err and len(err.splitlines()) == 1, err
        assert " at audit_main" in out or "audit_main tests/preload" in out, out


def check_formats():
    with both_cores(BUILD / "tests/preload/waits/deadlock-cycle-mutex", threads=3) as (*_, core), folder() as place:
        kinds = ("json", "html", "sarif", "junit", "text")
        options = [word for kind in kinds for word in ("--report", f"{kind}={place / kind}")]
        status, _, err = attach(*options, "--dir", place / "kept", "--core", core)
        assert status == 66, err
        for kind in kinds:
            assert "deadlock-cycle" in (place / kind).read_text(), kind
        core.unlink()
        again = subprocess.run([MPSAN, "report", "--no-conf", place / "kept"], capture_output=True, text=True)
        assert again.returncode == 66 and "held by" in again.stdout, again
        never, _, _ = attach("--fail-on", "never", "--core", BUILD)
        assert never == 2


def check_self():
    with both_cores(BUILD / "tests/preload/waits/self-deadlock-mutex", threads=1) as found:
        for core in found:
            assert "which it already holds" in told(core, "self-deadlock")


def check_join():
    with both_cores(system_python(), PRELOAD / "waits/deadlock-cycle-join.py", threads=3) as found:
        for core in found:
            assert "waits for the end of thread" in told(core, "deadlock-cycle")


def check_exception():
    with both_cores(system_python(), PRELOAD / "waits/deadlock-cycle-exit-method.py", threads=2) as found:
        for core in found:
            assert "while handling TimeoutError('no answer') raised at ask (" in told(core, "deadlock-cycle")


def gil_findings(place):
    """Of a core by gcore, taken until all threads have come so far, and of one by the kernel."""
    prepare = cores.may_dump(place)
    process = subprocess.Popen([system_python(), PRELOAD / "waits/deadlock-cycle-gil-mutex.py"], preexec_fn=prepare,
                               env={**os.environ, "BUILD": str(BUILD.resolve())}, start_new_session=True)
    try:
        findings = []
        while not findings:
            status, findings, _ = report("--core", cores.gcore(process.pid, place))
        assert status == 66, findings
        return findings, report("--core", cores.kernel_core(process.pid, place, signal.SIGABRT))[1]
    finally:
        kill_group(process.pid)
        process.wait()


def check_gil():
    """The interpreter names the holder of the GIL; a thread that waits for it wakes up all the time, but not in a core, if that was
    not written just then."""
    with folder() as place:
        found = gil_findings(place)
        for _ in range(CORES):
            found = found if found[1] else gil_findings(place)
        for findings in found:
            assert [finding["rule"] for finding in findings] == ["deadlock-cycle"], findings
            assert "waits for the GIL, held by" in findings[0]["message"], findings[0]["message"]


def check_orphan():
    """Of a forked child alone: the owner is older than the process, so it was a thread of its parent."""
    with both_cores(BUILD / "tests/preload/fork/fork-orphaned-lock-mutex", threads=2, child=True) as found:
        for core in found:
            assert "exists only in the parent" in told(core, "fork-orphaned-lock")


def check_job():
    """The parent's core as well says who held a lock of Python's at the fork."""
    with started(system_python(), PRELOAD / "fork/fork-orphaned-lock.py", threads=2) as process, folder() as place:
        child = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())
        cores.still(child, 1)
        both = cores.gcore(child, place), cores.gcore(process.pid, place)
        silent(both[0])
        status, findings, read = report("--core", both[0], "--core", both[1])
        assert status == 66 and [finding["rule"] for finding in findings] == ["fork-orphaned-lock"], findings
        assert "held it, taken at" in findings[0]["message"], findings[0]["message"]
        assert {one["how"] for one in read["processes"]} == {"root", "fork"}, read["processes"]
        status, _, err = attach("--core", both[0], "--core", both[0])
        assert status == 2 and "as another core file is" in err, err


CROSSED = """
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	pthread_mutex_t *both = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrier_t *taken = (pthread_barrier_t *)(both + 2);
	pthread_barrierattr_t apart;
	pthread_mutexattr_t how;
	pthread_barrierattr_init(&apart);
	pthread_barrierattr_setpshared(&apart, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(taken, &apart, 2);
	pthread_mutexattr_init(&how);
	pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(both, &how);
	pthread_mutex_init(both + 1, &how);
	for (int i = 0; i < 2; i++) {
		if (fork()) continue;
		pthread_mutex_lock(both + i);
		pthread_barrier_wait(taken);
		pthread_mutex_lock(both + 1 - i);
		_exit(0);
	}
	wait(NULL);
}
"""


def check_crossed():
    """Cores of several moments prove nothing together, and a limit says so; one alone, and a parent's beside its child's, need none."""
    apart = "each file is of another moment"
    with folder() as place, started(build(CROSSED, place / "crossed", "-pthread")) as process:
        children = [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
        for child in children:
            cores.still(child, 1)
        both = [cores.gcore(child, place) for child in children]
        status, findings, read = report("--core", both[0], "--core", both[1])
        assert status == 0 and not findings and any(apart in limit for limit in read["limits"]), read
        owners = {thread["waits_for"]["owner"]["pid"] for one in read["picture"] for thread in one["threads"]}
        assert owners == set(children), read["picture"]
        assert not any(apart in limit for limit in report("--core", both[0])[2]["limits"])
        job = report("--core", both[0], "--core", cores.gcore(process.pid, place))[2]
        assert not any(apart in limit for limit in job["limits"]), job["limits"]


def check_python_locks():
    """Owners of Python's locks are known from their with blocks, names from the waiting frames."""
    source = ("import threading\na, b, both = threading.Lock(), threading.Lock(), threading.Barrier(2)\n"
              "def one():\n    with a:\n        both.wait()\n        with b: pass\n"
              "def two():\n    with b:\n        both.wait()\n        with a: pass\n"
              "threading.Thread(target=one, name='one').start()\ntwo()\n")
    for python in {"": system_python(), **other_pythons()}.values():
        with folder() as place:
            Path(place, "code.py").write_text(source)
            with both_cores(python, place / "code.py", threads=2) as found:
                for core in found:
                    text = told(core, "deadlock-cycle")
                    assert 'Lock "a" (code.py, global), held by' in text and "taken at one (code.py:4)" in text, text
                    assert 'Lock "b" (code.py, global), held by' in text and "taken at two (code.py:8)" in text, text


def check_healthy():
    """What idles, sleeps and computes."""
    idle = ("import queue, threading\nlocal = queue.Queue()\n"
            "for i in range(3): threading.Thread(target=local.get).start()\nthreading.Event().wait()\n")
    with both_cores(system_python(), "-c", idle, threads=4) as found:
        for core in found:
            silent(core)
    with both_cores("sleep", "60", threads=1) as found:
        for core in found:
            assert silent(core)["processes"][0]["argv"] == ["sleep", "60"]
    with folder() as place:
        process = subprocess.Popen([system_python(), "-c", "while True: pass"])
        try:
            silent(cores.gcore(process.pid, place))
        finally:
            process.kill()
            process.wait()


def check_tasks():
    """Coroutines of asyncio stand before the frames of their thread."""
    source = "import asyncio\nasync def inner(): await asyncio.Event().wait()\nasyncio.run(inner())\n"
    with both_cores(system_python(), "-c", source, threads=1) as found:
        for core in found:
            _, out, _ = attach("--core", core)
            assert "inner" in out and "error:" not in out and "warning:" not in out, out


def check_crash():
    with folder() as place:
        prepare = cores.may_dump(place)
        process = subprocess.Popen([system_python(), "-c", "import ctypes\ndef f(): ctypes.string_at(8)\nf()"],
                                   preexec_fn=prepare, stderr=subprocess.DEVNULL)
        assert process.wait() == -signal.SIGSEGV
        (core,) = place.glob("core*")
        status, out, err = attach("--core", core)
        assert status == 0 and "was ended by SIGSEGV, in its main thread" in err and "error:" not in out, (out, err)


def check_own_number():
    """The process of a core may have had the PID that the command has now."""
    source = ("import os, subprocess, sys\n"
              "os.execv(sys.argv[1], sys.argv[1:])\n")
    with started(BUILD / "tests/preload/waits/deadlock-cycle-mutex", threads=3) as process, folder() as place:
        whole = cores.gcore(process.pid, place)
        data = cores.shortened(whole.read_bytes())
        run = subprocess.Popen([sys.executable, "-c", f"import sys; sys.stdin.read(); {source}", MPSAN, "attach", "--no-conf",
                                "--core", place / "short"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        (place / "short").write_bytes(cores.renumbered(data, process.pid, run.pid))
        out, _ = run.communicate()
        assert run.returncode == 66 and "deadlock-cycle" in out, out


def check_program():
    """Files are checked by their build-ids."""
    with folder() as place:
        program, other = place / "program", place / "other"
        shutil.copy(BUILD / "tests/preload/waits/deadlock-cycle-mutex", program)
        shutil.copy(BUILD / "tests/preload/waits/self-deadlock-mutex", other)
        with both_cores(program, threads=3) as found:
            for core in found:
                assert "at mutex_take" in told(core, "deadlock-cycle")
                status, out, err = attach("--core", core, "--exe", other)
                assert status == 2 and len(err.splitlines()) == 1 and "is not the program of" in err, err
                status, out, err = attach("--core", core, "--exe", place / "none")
                assert status == 2 and len(err.splitlines()) == 1 and "cannot be read" in err, err
            program.rename(place / "moved")
            for core in found:
                status, findings, read = report("--core", core)
                assert status == 66 and any("missing" in limit for limit in read["limits"]), read["limits"]
                assert "mutex_take" not in words_of(findings[0])
                assert "at mutex_take" in told(core, "deadlock-cycle", "--exe", place / "moved")
            other.rename(program)
            for core in found:
                status, findings, read = report("--core", core)
                assert status == 66 and any("another build" in limit for limit in read["limits"]), read["limits"]
                assert "lock_again" not in words_of(findings[0]), findings[0]


def check_left_out():
    """Shared memory that coredump_filter leaves out: who else has it is not known, and it is said to be missing."""
    source = ("import mmap, os, threading, time\n"
              "pool = os.memfd_create('pool')\nos.ftruncate(pool, 1 << 20)\n"
              "memory = mmap.mmap(pool, 1 << 20)\nmemory[:4] = b'here'\n"
              "open('/proc/self/coredump_filter', 'w').write('0x31')\nthreading.Event().wait()\n")
    with both_cores(system_python(), "-c", source, threads=1) as found:
        for core in found:
            read = silent(core)
        assert any("KiB of memory are not in the core" in limit for limit in read["limits"]), read["limits"]


def check_big():
    """Only what matters is read of a big core, most of which is a hole."""
    source = ("import mmap, threading\nmemory = mmap.mmap(-1, 16 << 30, mmap.MAP_PRIVATE | 0x4000)\n"
              "memory[0] = memory[-1] = 1\nlock = threading.Lock()\n"
              "def twice():\n    with lock:\n        with lock: pass\ntwice()\n")
    with folder() as place:
        prepare = cores.may_dump(place)
        with started(system_python(), "-c", source, prepare=prepare) as process:
            core = cores.kernel_core(process.pid, place, signal.SIGABRT)
        assert core.stat().st_size > 16 << 30 > 8 * core.stat().st_blocks * 512
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        assert "taken at twice" in told(core, "self-deadlock")
        assert max(before, 200 * 1024) >= resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        os.truncate(core, core.stat().st_size - MIB)
        _, _, read = report("--core", core)
        assert any("truncated" in limit for limit in read["limits"]), read["limits"]


def one_line(path, *expected):
    status, out, err = attach("--core", path)
    assert status == 2 and not out and len(err.splitlines()) == 1, (path, status, err)
    for part in (str(path), *expected):
        assert part in err, (part, err)


def check_packed():
    with both_cores(BUILD / "tests/preload/waits/deadlock-cycle-mutex", threads=3) as (*_, core), folder() as place:
        (place / "core.xz").write_bytes(lzma.compress(core.read_bytes(), preset=0))
        assert told(place / "core.xz", "deadlock-cycle")
        whole = bz2.compress(cores.shortened(core.read_bytes()))
        (place / "core.bz2").write_bytes(whole)
        assert told(place / "core.bz2", "deadlock-cycle")
        (place / "core.bz2").write_bytes(whole[:len(whole) // 2])  # elfutils waits for the rest, for ever
        one_line(place / "core.bz2", "compressed with bzip2")
        for name, command in (("zst", ["zstd", "-q", "-o"]), ("lz4", ["lz4", "-q", "-z"])):
            if not shutil.which(command[0]):
                continue
            packed = place / f"core.{name}"
            subprocess.run([*command, *((packed, core) if name == "zst" else (core, packed))], check=True)
            status, out, err = attach("--core", packed)
            if status == 2:  # elfutils without that library
                one_line(packed, "compressed with", f"{command[0]} -d", "coredumpctl")
            else:
                assert status == 66 and "deadlock-cycle" in out, out


def check_bomb():
    """A small file that unpacks to gigabytes: refused, before it has taken one of them."""
    with started("sleep", "60") as process, folder() as place:
        data = cores.shortened(cores.gcore(process.pid, place).read_bytes())
        zeros = gzip.compress(bytes(64 << 20), 9)
        (place / "core.gz").write_bytes(gzip.compress(data) + 12 * zeros)
        one_line(place / "core.gz", "compressed with gzip", "MiB", "gzip -dk")
        assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1 << 20, resource.getrusage(resource.RUSAGE_CHILDREN)


def check_wrong():
    with started("sleep", "60") as process, folder() as place:
        data = cores.shortened(cores.gcore(process.pid, place).read_bytes())
        for name, content, expected in (
                ("empty", b"", "expected a core file"), ("text", b"hello\n" * 100, "no core file"),
                ("narrow", data[:4] + b"\1" + data[5:], "32-bit"),
                ("arm", data[:18] + (183).to_bytes(2, "little") + data[20:], "another architecture"),
                ("zeroes", bytes(100000), "no core file"), ("magic", b"\x28\xb5\x2f\xfd" * 9, "compressed with zstd"),
                ("head", data[:64], "truncated"), ("part", data[:400], "has no threads")):
            (place / name).write_bytes(content)
            one_line(place / name, expected)
        one_line(MPSAN, "but no core file")
        one_line(place, "not a regular file")
        one_line(place / "none", "No such file")
        os.mkfifo(place / "pipe")
        one_line(place / "pipe", "not a regular file")
        (place / "good").write_bytes(data)
        for words in (["--core", place / "good", "1"], ["--core", place / "good", "--watch"], ["--exe", MPSAN, "1"],
                      ["--core", place / "good", "--name", "sleep"]):
            status, out, err = attach(*words)
            assert status == 2 and len(err.splitlines()) == 1 and "--core" in err, (words, err)
        assert silent(place / "good")["processes"][0]["pid"] == process.pid


def check_mutated():
    """Damaged cores: no crash, and an end."""
    with started(BUILD / "tests/preload/waits/deadlock-cycle-mutex", threads=3) as process, folder() as place:
        data = cores.shortened(cores.gcore(process.pid, place).read_bytes())
        paths = []
        for seed in range(MUTATED):
            paths.append(place / f"{seed}")
            paths[-1].write_bytes(cores.damaged(data, seed))
        run = subprocess.run([BUILD / "tests/fuzz/replay_core", *paths], capture_output=True, timeout=100)
        assert run.returncode == 0, run
        for path in paths[:15]:
            status, _, err = attach("--core", path)
            assert status in (0, 2, 66), (path, status, err)
            assert status != 2 or len(err.splitlines()) == 1, err


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
