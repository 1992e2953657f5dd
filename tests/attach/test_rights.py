#!/usr/bin/env python3
"""mpsan attach, ps and top where the right to look is missing, and on what is no ordinary process."""
# cases

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, MPSAN, Skip, kill_group, main, run_bare, system_python  # noqa: E402

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
PROGRAM = BUILD / "tests/preload/waits/deadlock-cycle-mutex"


def need_root():
    if os.geteuid():
        raise Skip("needs root")


@contextlib.contextmanager
def started(*command, **options):
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, text=True, start_new_session=True, **options)
    try:
        yield process
    finally:
        kill_group(process.pid)
        process.wait()
        process.stdout.close()


def mpsan(*words, before=()):
    with tempfile.TemporaryDirectory(prefix="mpsan-test-", dir="/tmp") as place:
        os.chmod(place, 0o777)
        return run_bare([*before, MPSAN, *words], 60, {"TMPDIR": place})


def refused(pid, *says, before=()):
    """All three say the same in one line."""
    for words in (("attach", "--no-conf"), ("ps",), ("top", "--once")):
        run = mpsan(*words, pid, before=before)
        assert run.exit == 2 and not run.out and len(run.err.splitlines()) == 1, run
        assert all(word in run.err for word in says), run.err


def becomes(path, what):
    """The time limit of tests ends this."""
    while what not in Path(path).read_text():
        time.sleep(0.02)


def check_other_user():
    need_root()
    with started("sleep", "600") as process:
        refused(process.pid, "it belongs to root (uid 0)", "as root", "seen without it: sleep, 1 thread, 1 asleep", before=NOBODY)


def check_not_dumpable():
    need_root()
    source = "import ctypes, time; ctypes.CDLL(None).prctl(4, 0); print(flush=True); time.sleep(600)"
    with started(*NOBODY, system_python(), "-c", source, cwd="/") as process:
        process.stdout.readline()
        refused(process.pid, "it is not dumpable", before=NOBODY)
        assert mpsan("ps", process.pid).exit == 0


def check_capability():
    """Two capabilities are enough; what is missing of them is told, to root, too."""
    need_root()
    able, half = (("setpriv", "--reuid=65534", "--clear-groups", f"--inh-caps={caps}", f"--ambient-caps={caps}")
                  for caps in ("+sys_ptrace,+dac_read_search", "+sys_ptrace"))
    unable = ("capsh", "--drop=cap_sys_ptrace", "--", "-c", 'exec "$@"', "sh")
    with started(PROGRAM) as process, started(*NOBODY, "sleep", "600") as other:
        becomes(f"/proc/{other.pid}/comm", "sleep")
        run = mpsan("attach", "--no-conf", process.pid, before=able)
        assert run.exit == 66 and "held by" in run.out, run
        refused(process.pid, "CAP_DAC_READ_SEARCH is missing beside CAP_SYS_PTRACE", before=half)
        refused(other.pid, "CAP_SYS_PTRACE is missing", before=unable)


def check_part():
    """Of a tree some may be examined; those that may not are named, with the reason."""
    need_root()
    words = ["sh", "-c", f"{' '.join(NOBODY)} sleep 600 & sleep 600 & wait"]
    with started(*words, cwd="/") as process:
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        while len(Path(children).read_text().split()) < 2:
            time.sleep(0.02)
        first, second = Path(children).read_text().split()
        becomes(f"/proc/{first}/comm", "sleep")
        run = mpsan("attach", "--no-conf", first, before=NOBODY)
        assert run.exit == 0 and f"limit: processes {process.pid}, {second} may not be examined: it belongs to root" in run.out, run


def check_hidden():
    need_root()
    if subprocess.run(["unshare", "--mount", "mount", "-t", "proc", "-o", "hidepid=2", "proc", "/proc"], capture_output=True).returncode:
        raise Skip("no hidepid here")
    with started("sleep", "600") as process:
        before = ("unshare", "--mount", "sh", "-c", 'mount -t proc -o hidepid=2 proc /proc && exec "$@"', "sh", *NOBODY)
        refused(process.pid, "/proc is mounted with hidepid", before=before)


def check_no_process():
    """Threads of the kernel, zombies, mpsan itself."""
    if Path("/proc/2/comm").read_text() == "kthreadd\n":
        refused(2, "is a thread of the kernel")
    dead = subprocess.Popen(["true"])
    becomes(f"/proc/{dead.pid}/stat", ") Z ")
    refused(dead.pid, "has not reaped it (a zombie)", f"its parent {os.getpid()}")
    dead.wait()
    run = run_bare(["sh", "-c", f"exec {MPSAN} attach --no-conf $$"])
    assert run.exit == 2 and "is mpsan itself" in run.err, run


def check_thread():
    """A TID means its process."""
    source = "import threading, time\nt = threading.Thread(target=time.sleep, args=(600,)); t.start(); print(t.native_id, flush=True)"
    with started(system_python(), "-c", source) as process:
        tid = process.stdout.readline().strip()
        run = mpsan("ps", tid)
        assert run.exit == 0 and f"\n{process.pid} python3" in run.out and f"(TID {tid})" in run.out, run


def check_changes():
    """A process that execs, forks and ends while it is looked at."""
    words = f"i=0; while [ $i -lt 20 ]; do i=$((i+1)); (sleep 0.1; exec sleep 0.1) & sleep 0.1; done; exec {PROGRAM}"
    with started("sh", "-c", words) as process:
        run = mpsan("attach", "--no-conf", process.pid)
        assert run.exit in (0, 66) and "held by" in run.out, run
    with started("sh", "-c", "sleep 1; exec true") as process:
        run = mpsan("attach", "--no-conf", process.pid)
        assert run.exit == 0 and "0 errors" in run.out, run


def check_stopped():
    """What a signal or a debugger has stopped is no deadlock, and stays stopped."""
    with started(PROGRAM) as process:
        becomes(f"/proc/{process.pid}/wchan", "futex")
        process.send_signal(19)
        becomes(f"/proc/{process.pid}/stat", ") T ")
        run = mpsan("attach", "--no-conf", process.pid)
        assert run.exit == 0 and "0 errors" in run.out, run
        assert ") T " in Path(f"/proc/{process.pid}/stat").read_text()


def check_watched():
    """A program that runs under mpsan is shown by its own session, and so is the `mpsan run` that follows it."""
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        with started(MPSAN, "run", "--dir", f"{place}/session", "--", PROGRAM) as process:
            child = None
            while not child or "libmpsan" not in Path(f"/proc/{child}/maps").read_text():
                with contextlib.suppress(IndexError, OSError):
                    child = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
            while True:
                run = mpsan("attach", "--no-conf", child)
                assert f"process {child} runs under mpsan: reporting its session {place}/session" in run.err, run
                if run.exit == 66:
                    break
                time.sleep(0.1)
            assert "deadlock-cycle" in run.out and "examined from outside" not in run.out, run
            for pid in child, process.pid:  # its supervisor stands for it
                ps = mpsan("ps", pid)
                assert ps.exit == 0 and f"{place}/session: 1 process" in ps.out and "asks again" not in ps.out, ps
            run = mpsan("attach", "--no-conf", process.pid)
            assert run.exit == 66 and f"reporting its session {place}/session" in run.err, run
            assert Path(place, "session/session").exists()


def check_preloaded():
    """Nobody follows a program that has the library and no supervisor: it is looked at now."""
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        more = {"LD_PRELOAD": str(BUILD / "libmpsan.so"), "MPSAN_DIR": f"{place}/session"}
        with started(PROGRAM, env={**os.environ, **more}) as process:
            becomes(f"/proc/{process.pid}/wchan", "futex")
            for words in (("attach", "--no-conf", process.pid), ("report", "--no-conf", f"{place}/session")):
                run = mpsan(*words)
                assert run.exit == 66 and "error: deadlock-cycle" in run.out and "1 error" in run.out, run
            run = mpsan("attach", "--no-conf", "--rule", "deadlock-cycle=note", process.pid)
            assert run.exit == 0 and "note: deadlock-cycle" in run.out, run


def compiled(place, *flags, compiler="cc"):
    source = Path(__file__).resolve().parents[1] / "preload/waits/deadlock-cycle-mutex.c"
    program = Path(place, "program")
    command = [compiler, "-g", "-pthread", "-Iinclude", "-Itests/preload", *flags, "-o", program, source]
    if subprocess.run(command, capture_output=True).returncode:
        raise Skip(f"cannot build with {compiler} {' '.join(flags)}")
    return program


def check_static():
    """Names of the C library tell what a thread waits for, also where it is part of the program."""
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        with started(compiled(place, "-static-pie")) as process:
            becomes(f"/proc/{process.pid}/wchan", "futex")
            run = mpsan("attach", "--no-conf", process.pid)
            assert run.exit == 66 and 'mutex "journal", held by thread' in run.out, run


def check_uninterruptible():
    """A thread that the kernel lets wait for a child of vfork."""
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        Path(place, "code.c").write_text("#include <unistd.h>\nint main(void) { if (!vfork()) { pause(); _exit(0); } return 0; }\n")
        subprocess.run(["cc", "-o", f"{place}/program", f"{place}/code.c"], check=True)
        with started(f"{place}/program") as process:
            becomes(f"/proc/{process.pid}/stat", ") D ")
            run = mpsan("attach", "--no-conf", process.pid)
            assert run.exit == 0 and "0 errors, 0 warnings" in run.out, run


def check_foreign():
    """Other C libraries and word sizes: what is not understood is no finding, and no crash."""
    ran = 0
    for compiler, flags in (("musl-gcc", ()), ("cc", ("-m32",))):
        with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place, contextlib.suppress(Skip):
            with started(compiled(place, *flags, compiler=compiler)) as process:
                run = mpsan("attach", "--no-conf", process.pid)
                assert run.exit in (0, 66) and "warning:" not in run.out, run
                assert run.exit == 0 or "deadlock-cycle" in run.out, run
                ran += 1
    if not ran:
        raise Skip("no musl-gcc, and no 32-bit libraries")


def check_java():
    """A healthy Java program, whose threads idle, is no error."""
    if not shutil.which("rmiregistry"):
        raise Skip("no rmiregistry, which comes with Java")
    with started("rmiregistry", "0") as process:
        while "RMI TCP Accept-" not in [Path(task, "comm").read_text().strip() for task in Path(f"/proc/{process.pid}/task").iterdir()]:
            time.sleep(0.02)
        run = mpsan("attach", "--no-conf", process.pid)
        assert run.exit == 0 and "0 errors, 0 warnings" in run.out, run



main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
