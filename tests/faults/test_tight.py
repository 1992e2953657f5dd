#!/usr/bin/env python3
"""`mpsan run` where limits are tight, disks are full and streams are closed: the program runs as it does alone, with
its own status and its own limits, watched or not; where it is not, one line says so."""
# cases
# limit: 120

import functools
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import let_others_in, need, program, scratch  # noqa: E402
from mpsantest import LIBRARY, MPSAN, Skip, full_environment, main, run_bare  # noqa: E402

PATIENCE_S = 20
BROKEN = 70
NOBODY = 65534
TIGHT = program("tight")


def run(command, prepare=None, env=None, **streams):
    where = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    done = subprocess.run([str(word) for word in command], env=full_environment(env), preexec_fn=prepare, text=True,
                          timeout=PATIENCE_S, **where)
    return done.returncode, done.stdout, done.stderr


def for_shell(status):
    return status if status >= 0 else 128 - status


def compare(words=("3",), prepare=None, env=None, before=(), **streams):
    """The program bare and under `mpsan run`; returns whether it was watched."""
    bare = run([*before, TIGHT, *words], prepare, env, **streams)
    done = run([*before, MPSAN, "run", "--", TIGHT, *words], prepare, env, **streams)
    assert (done[0], done[1]) == (for_shell(bare[0]), bare[1]), f"bare {bare}\nrun {done}"
    said = [line for line in (done[2] or "").splitlines() if line.endswith("runs unwatched")]
    assert len(said) <= 1 and all(line.startswith("mpsan: ") for line in said), done[2]
    assert not said or done[2].count("\n") == 1, done[2]
    return not said


def lower(what, limit):
    resource.setrlimit(what, (limit, limit))


def check_limit(what, limit, expected=None):
    for words in (["3"], ["-15"], ["fork"], ["0"]):
        watched = compare(words, functools.partial(lower, what, limit))
        assert expected in (None, watched), f"watched: {watched}"


def check_soft():
    """A soft limit is the program's alone."""
    def prepare(what, limit):
        resource.setrlimit(what, (limit, resource.getrlimit(what)[1]))
    assert compare(prepare=lambda: prepare(resource.RLIMIT_NOFILE, 4))
    assert not compare(prepare=lambda: prepare(resource.RLIMIT_FSIZE, 0))  # its library writes its log


def check_cures():
    """A line about a limit has a value that would do."""
    for letter, limit in (("n", 5), ("v", 20000)):
        for shell in ("sh", "bash"):
            done = run([shell, "-c", f'ulimit -{letter} {limit}; exec "$@"', "sh", MPSAN, "run", "--", TIGHT, "5"])
            enough = re.search(rf"ulimit -{letter} (\d+)", done[2])
            assert done[0] == 5 and enough and done[2].endswith("unwatched\n"), done
            done = run([shell, "-c", f'ulimit -{letter} {enough[1]}; exec "$@"', "sh", MPSAN, "run", "--", TIGHT, "fork"])
            assert done[0] == 3 and "unwatched" not in done[2] and "limit" not in done[2], done
    done = run([MPSAN, "run", "--", TIGHT, "5"], env={"TMPDIR": "/proc"})
    assert done[0] == 5 and "cannot create a directory in /proc: " in done[2] and "set TMPDIR" in done[2], done


def check_addresses():
    """Too few addresses for the logs of the processes: that is said while they run."""
    line = first_line(["sh", "-c", 'ulimit -v 45000; exec "$@"', "sh", MPSAN, "run", "--", TIGHT, "fork-sleep"])
    assert "no memory to map a log" in line and "ulimit -v" in line, line
    place = scratch("session")
    run([MPSAN, "run", "--dir", place, "--", TIGHT, "fork"])
    told = [run(["sh", "-c", f'ulimit -v {limit}; exec "$@"', "sh", MPSAN, "report", place])[1] for limit in (50000, 70000, 90000, 2000000)]
    assert "was not read: no memory to map" in "".join(told) and "damaged" not in "".join(told), told
    assert "limit" not in told[-1], told


def check_processes():
    """No room for a second process. Root has no such limit, so somebody else runs it."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    place = scratch("x").parent
    for file in (MPSAN, LIBRARY, TIGHT):
        shutil.copy(file, place)
    let_others_in(place)
    open_place = place / "open"
    open_place.mkdir()
    open_place.chmod(0o777)
    user = ["setpriv", f"--reuid={NOBODY - 7}", f"--regid={NOBODY}", "--clear-groups",
            *("bash", "-c", 'ulimit -u 1; exec "$@"', "sh")]
    need("setpriv", "bash")
    for end, want in (("3", 3), ("-15", -15)):  # it takes the command's place
        status, said, err = run([*user, place / "mpsan", "run", "--", place / "tight", end], env={"TMPDIR": str(open_place)})
        assert status == want and "limit" in said, (status, said, err)
        assert err.startswith("mpsan: ") and err.endswith("runs unwatched\n") and err.count("\n") == 1, err


NO_LOG = ("sh", "-c", 'ulimit -f 100; exec "$@"', "sh")


def first_line(command):
    """What is said first, while the program runs."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        return process.stderr.readline()
    finally:
        process.terminate()
        process.communicate()


def check_no_log_before():
    """A program that can write no log: that is said before it starts, with a limit that would do."""
    line = first_line([*NO_LOG, MPSAN, "run", "--on-deadlock=kill", "--", TIGHT, "sleep"])
    assert "RLIMIT_FSIZE" in line and line.endswith("the program runs unwatched\n"), line
    enough = re.search(r"ulimit -f (\d+)", line)[1]
    for shell in ("sh", "bash"):
        done = run([shell, "-c", f'ulimit -f {enough}; exec "$@"', "sh", MPSAN, "run", "--", TIGHT, "fork"])
        assert done[0] == 3 and "unwatched" not in done[2] and "limit" not in done[2], done


def check_no_log_meanwhile():
    """One that lowers the limit for what it starts: as soon as that wants to write one."""
    line = first_line([MPSAN, "run", "--", *NO_LOG, TIGHT, "fork-sleep"])
    assert re.match(r"mpsan: process \d+ runs unwatched: .*RLIMIT_FSIZE.*ulimit -f \d+", line), line


def check_no_log_preload():
    """Without the command the first one says it; where that line itself would mean SIGXFSZ, nobody does."""
    env = {"LD_PRELOAD": str(LIBRARY), "MPSAN_DIR": str(scratch("session"))}
    done = run([*NO_LOG, "sh", "-c", f"{TIGHT} fork; {TIGHT} fork"], env=env)
    assert done[0] == 3 and done[2].count("unwatched") == 1 and "ulimit -f" in done[2], done
    said = scratch("said")
    with open(said, "w+") as file:
        file.write("x" * 100 * 512)
        file.flush()
        done = run([*NO_LOG, "sh", "-c", f"{TIGHT} fork"], env={**env, "MPSAN_DIR": str(scratch("session"))}, stderr=file)
    assert done[0] == 3, done


# Disks: a tmpfs of our own in a mount namespace

def on_tmpfs(options, after, *words):
    place = scratch("disk")
    place.mkdir()
    script = (f'd={place}; mount -t tmpfs -o {options} none $d || exit 77; export TMPDIR=$d; {after}; exec "$@"')
    shell = [*need("unshare", "sh")[:1], "-m", "sh", "-c", script, "sh"]
    if run([*shell, "true"])[0]:
        raise Skip("mounting is not permitted here")
    return run([*shell, *(str(word).replace("DISK", str(place)) for word in words)])


FILL = "dd if=/dev/zero of=$d/filled bs=4k status=none 2>/dev/null"
DISKS = {"full": ("size=1m", FILL), "full_but_little": ("size=4k", "true"),
         "no_inodes": ("size=16m,nr_inodes=3", "mkdir $d/a; touch $d/a/b 2>/dev/null"),
         "read_only": ("size=16m", "mount -o remount,ro $d")}


def check_disk(options, after):
    bare = on_tmpfs(options, after, TIGHT, "5")
    done = on_tmpfs(options, after, MPSAN, "run", "--", TIGHT, "5")
    assert done[:2] == bare[:2] and bare[0] == 5, (bare, done)
    assert done[2].startswith("mpsan: ") and done[2].endswith("runs unwatched\n") and done[2].count("\n") == 1, done[2]
    assert "TMPDIR" in done[2] and ("room" in done[2] or "free 256 KiB" in done[2] or "may write to" in done[2]), done[2]


def check_disk_little():
    """Room for a session, but for no log."""
    for words in ([], ["--dir", "DISK/s"]):
        done = on_tmpfs("size=20k", "true", MPSAN, "run", *words, "--", TIGHT, "5")
        assert done[0] == 5 and done[2].count("\n") == 1 and "free 256 KiB" in done[2], done
        assert done[2].endswith("the program runs unwatched\n"), done


def check_disk_given():
    """A full disk is nobody's wrong argument; a place where nothing can be written is."""
    done = on_tmpfs("size=1m", f"mkdir $d/s; {FILL}", MPSAN, "run", "--dir", "DISK/s", "--", TIGHT, "5")
    assert done[0] == 5 and done[2].endswith("runs unwatched\n"), done
    done = on_tmpfs("size=1m", "mkdir $d/s; mount -o remount,ro $d", MPSAN, "run", "--dir", "DISK/s", "--", TIGHT, "5")
    assert done[0] == 2 and not done[1] and done[2].count("\n") == 1, done
    file = scratch("file")
    file.write_text("")
    for place in (file, "/nothing/there/of/that/name", "/proc/self/s"):
        done = run([MPSAN, "run", "--dir", place, "--", TIGHT, "5"])
        assert done[0] == 2 and not done[1] and done[2].count("\n") == 1, done


# What was inherited

def closes(*descriptors):
    return lambda: [os.close(fd) for fd in descriptors]


def check_streams():
    for closed in ((0,), (2,), (0, 2)):
        compare(prepare=closes(*closed))
    done = run([MPSAN, "run", "--", "sh", "-c", "exit 4"], closes(0, 1, 2))
    assert done[0] == 4, done


def check_inherited():
    def prepare():
        for number in (signal.SIGCHLD, signal.SIGXFSZ, signal.SIGINT, signal.SIGHUP, signal.SIGABRT):
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})
        signal.alarm(50)
    assert compare(prepare=prepare)
    prepare_too = functools.partial(lower, resource.RLIMIT_NOFILE, 5)
    assert not compare(prepare=lambda: (prepare(), prepare_too()))


def check_environment():
    for env in ({"TMPDIR": "/nothing/there"}, {"TMPDIR": "relative"}, {"TMPDIR": ""}, {"HOME": ""}):
        compare(env=env)
    assert not compare(env={"TMPDIR": "/dev/null"})
    bare = {name: value for name, value in os.environ.items() if name not in ("HOME", "TMPDIR", "PATH")}
    done = subprocess.run([MPSAN, "run", "--", TIGHT, "4"], env=bare, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 4, done


def check_no_directory():
    """The working directory was removed."""
    script = 'd=$(mktemp -d); cd $d; rmdir $d; exec "$@"'
    assert compare(before=["sh", "-c", script, "sh"])


# Signals, crashes

def start(*words, **how):
    return subprocess.Popen([MPSAN, "run", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            **how)


def ended(process):
    try:
        return process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError("a signal did not end it") from None


def check_handed_on(prepare=None):
    process = start("--", "sh", "-c", 'trap "exit 9" TERM; trap "echo usr" USR1; echo on; while :; do sleep 0.02; done',
                    preexec_fn=prepare)
    assert process.stdout.readline() == "on\n"
    process.send_signal(signal.SIGUSR1)
    assert process.stdout.readline() == "usr\n"
    process.send_signal(signal.SIGINT)  # a terminal's, which the program would have got itself
    process.terminate()
    ended(process)
    assert process.returncode == 9, process.returncode


def check_signal(number):
    """A report into a pipe that nobody reads: the program has gone, so a signal ends the command."""
    pipe = scratch("pipe")
    os.mkfifo(pipe)
    for status, want in ((5, 5), (0, BROKEN)):
        process = start("--report", f"json={pipe}", "--", "sh", "-c", f"echo $$; exit {status}")
        pid = int(process.stdout.readline())
        while Path(f"/proc/{pid}").exists():
            time.sleep(0.01)
        process.send_signal(number)
        if not status:
            time.sleep(0.2)
            process.send_signal(number)  # at once
        _, said = ended(process)
        assert process.returncode == want, process.returncode
        assert said.startswith("mpsan: ") and said.count("\n") == 1, said


def check_crash(number):
    """A fault of the supervisor's own harms no program, and is no success."""
    place = scratch("x").parent
    for status, want in ((5, 5), (0, BROKEN)):
        done = run([MPSAN, "run", "--", "sh", "-c", f"kill -{number} $PPID; sleep 0.3; echo through; exit {status}"],
                   env={"TMPDIR": str(place)})
        assert done[:2] == (want, "through\n"), done
        lines = done[2].splitlines()
        assert lines[0].startswith("mpsan: mpsan itself has failed (signal ") and lines[0].endswith("unwatched"), lines
        assert lines[1].startswith("mpsan: limit: mpsan itself failed (signal ") and len(lines) == 3, lines
        assert not list(place.glob("*/*")), list(place.glob("*/*"))


def check_impossible():
    """Neither a second process nor the program in the command's own place."""
    done = run([need("strace"), "-o", "/dev/null", "-f", "-e", "inject=vfork:error=EAGAIN",
                "-e", "inject=execve:error=ENOMEM:when=2+", MPSAN, "run", "--", "true"])
    if "Operation not permitted" in done[2]:
        raise Skip("strace is not permitted here")
    assert done[0] == BROKEN and "mpsan: " in done[2], done


def check_help():
    for words in (["help", "run"], ["run", "--help"]):
        assert "70 mpsan itself failed" in run_bare([MPSAN, *words]).out


LIMITS = {"nofile": (resource.RLIMIT_NOFILE, {4: False, 5: False, 6: False, 7: False, 8: False, 16: True}),
          "fsize": (resource.RLIMIT_FSIZE, {0: False, 3000: False, 102400: False, 1 << 26: True}),
          "as": (resource.RLIMIT_AS, {15 << 20: None, 20 << 20: None, 40 << 20: None, 100 << 20: None}),
          "data": (resource.RLIMIT_DATA, {1 << 20: None, 3 << 20: None, 10 << 20: None}),
          "stack": (resource.RLIMIT_STACK, {24 << 10: None, 64 << 10: None}),
          "cpu": (resource.RLIMIT_CPU, {1: True}), "memlock": (resource.RLIMIT_MEMLOCK, {0: True}),
          "core": (resource.RLIMIT_CORE, {0: True}), "nproc": (resource.RLIMIT_NPROC, {1: None})}

main({**{f"{name}_{limit}": functools.partial(check_limit, what, limit, watched)
         for name, (what, cases) in LIMITS.items() for limit, watched in cases.items()},
      "soft": check_soft, "cures": check_cures, "addresses": check_addresses, "no_log_before": check_no_log_before, "no_log_meanwhile": check_no_log_meanwhile,
      "no_log_preload": check_no_log_preload, "processes": check_processes,
      **{f"disk_{name}": functools.partial(check_disk, *disk) for name, disk in DISKS.items()},
      "disk_little": check_disk_little, "disk_given": check_disk_given, "streams": check_streams, "inherited": check_inherited,
      "environment": check_environment, "no_directory": check_no_directory, "handed_on": check_handed_on,
      "handed_on_unwatched": functools.partial(check_handed_on, functools.partial(lower, resource.RLIMIT_NOFILE, 6)),
      **{f"signal_{number.name}": functools.partial(check_signal, number)
         for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)},
      "crash_SEGV": functools.partial(check_crash, "SEGV"), "crash_BUS": functools.partial(check_crash, "BUS"),
      "impossible": check_impossible, "help": check_help})
