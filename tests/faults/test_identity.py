#!/usr/bin/env python3
"""Who is who: in pid, time and user namespaces, where pids come again, after the machine was started anew. No two
processes share a slot, none joins a session that is not its own, and no session goes away under its processes."""
# cases
# limit: 120

import functools
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, named, preload, program, rounds, scratch  # noqa: E402
from mpsantest import LIBRARY, MPSAN, ROOT, Skip, dump, full_environment, main, run_bare, run_mpsan, system_python  # noqa: E402

PAGE, SLOT = 4096, struct.Struct("<IIIHHQQQQQQ")
HOW_ROOT, HOW_EXEC, REPLACED = 0, 11, 32
SLOTS_AT, START_REAL_AT, BOOT_AT = 12, 24, 16 + 24 + 16 + 1024 + 16 + 64
HOUR_NS = 3600 * 10**9


class Slot:
    def __init__(self, number, data):
        self.number = number
        (self.pid, self.parent, self.parent_pid, self.how, self.flags, self.birth, self.exec, self.attach, self.end,
         self.fork, self.namespace) = SLOT.unpack_from(data)


def slots(session):
    """The processes in the table of a session."""
    data = (Path(session) / "session").read_bytes()
    count = struct.unpack_from("<I", data, SLOTS_AT)[0]
    return [Slot(number, data[PAGE + 256 * number:]) for number in range(count)
            if struct.unpack_from("<I", data, PAGE + 256 * number)[0]]


def unshare(*options):
    command = [shutil.which("unshare") or "unshare", *options, "--fork"]
    try:
        if run_bare([*command, "true"]).exit:
            raise Skip(f"unshare {' '.join(options)} is not permitted here")
    except FileNotFoundError:
        raise Skip("no unshare here") from None
    return command


def temporary():
    return scratch("x").parent


def sessions(place):
    """Those that the library made below a TMPDIR."""
    return sorted(path for path in (place / f"mpsan-{os.geteuid()}").iterdir() if path.name[0] != ".")


def run(command, env):
    done = run_bare(command, 60, env)
    assert (done.exit, done.err) == (0, ""), (command, done)
    return done


# Pid namespaces

def check_stranger_is_not_joined():
    """Pid 1 of a namespace that sees the /proc of another: whoever comes later is none of its descendants."""
    place, inner = temporary(), unshare("--pid")
    env = preload(TMPDIR=str(place))
    run([*inner, "env", f"LD_PRELOAD={LIBRARY}", f"TMPDIR={place}", "true"], None)
    run(["true"], env)
    run(["true"], env)
    assert [len(slots(session)) for session in sessions(place)] == [1, 1, 1]


def check_session_goes_into_namespace():
    """Whoever sees its ancestors finds their session, however it is counted itself."""
    place, inner = temporary(), unshare("--pid")
    run(["sh", "-c", f"{' '.join(inner)} sh -c '/bin/true; /bin/true'; /bin/true"], preload(TMPDIR=str(place)))
    found = sessions(place)
    assert len(found) == 1, found
    assert {slot.pid for slot in slots(found[0])} >= {1, 2, 3}
    assert len({slot.namespace for slot in slots(found[0])}) == 2


NESTED = """
#define _GNU_SOURCE
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	for (int depth = 0; depth < 3; depth++) {
		int status;
		if (unshare(CLONE_NEWPID))
			return 77;
		pid_t child = fork();
		if (child)
			return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		if (getpid() != 1)
			return 2;
	}
	return 0;
}
"""


def check_pid_one_below_pid_one():
    session = scratch("session")
    done = run_bare([build(NESTED, scratch("nested"))], 30, preload(session=session))
    if done.exit == 77:
        raise Skip("no pid namespaces here")
    assert done.exit == 0, done
    known = slots(session)
    assert [slot.pid for slot in known].count(1) == 3 and len(known) == 4, [vars(slot) for slot in known]
    assert len({slot.namespace for slot in known}) == 4
    born = sorted(known, key=lambda slot: slot.birth)
    assert [slot.parent for slot in born[1:]] == [slot.number + 1 for slot in born[:-1]]


def check_same_pid_in_two_namespaces():
    """Two containers in one session, at the same time: each has a process 1 and a process 2."""
    session, inner = scratch("session"), unshare("--pid", "--mount-proc")
    command = [*inner, "env", *(f"{name}={value}" for name, value in preload(session=session).items()),
               "sh", "-c", "/bin/true; echo; read line"]
    running = [start(command, None), start(command, None)]
    for each in running:
        each.stdout.readline()
    for each in running:
        each.communicate(b"\n")
    known = slots(session)
    namespaces = {slot.namespace for slot in known}
    assert len(namespaces) == 2, [vars(slot) for slot in known]
    for namespace in namespaces:
        here = sorted((slot for slot in known if slot.namespace == namespace), key=lambda slot: slot.birth)
        numbers = {slot.number + 1 for slot in here}
        assert {slot.pid for slot in here} == {1, 2} and here[0].how == HOW_ROOT, [vars(slot) for slot in here]
        assert all(slot.parent in numbers for slot in here[1:]), [vars(slot) for slot in here]


# Pids that come again

def next_pid(pid):
    """The next process gets this pid."""
    try:
        Path("/proc/sys/kernel/ns_last_pid").write_text(str(pid - 1))
    except OSError:
        raise Skip("pids cannot be chosen here") from None


def start(command, env):
    return subprocess.Popen(command, env=full_environment(env), stdout=subprocess.PIPE, stdin=subprocess.PIPE)


def check_pid_again():
    """A process is killed, and the next one gets its pid: that is no exec of the first."""
    session = scratch("session")
    env = preload(session=session)
    for _ in range(20):
        first = start(["cat"], env)
        first.stdin.write(b"x\n")
        first.stdin.flush()
        first.stdout.readline()
        first.kill()
        first.wait()
        time.sleep(0.03)  # start times are told in hundredths of a second
        next_pid(first.pid)
        second = start(["true"], env)
        second.wait()
        if second.pid == first.pid:
            break
    else:
        raise Skip("another process was faster, each time")
    one, two = sorted((slot for slot in slots(session) if slot.pid == first.pid), key=lambda slot: slot.birth)
    assert two.how != HOW_EXEC and two.parent == 0 and not one.flags & REPLACED and one.end, (vars(one), vars(two))


# Time

def check_time_namespace(seconds):
    """Clocks that are ahead, or behind: birth times are those of the session."""
    session = scratch("session")
    inner = unshare("--time", f"--monotonic={seconds}", f"--boottime={seconds}")
    before = time.monotonic_ns()
    run([MPSAN, "run", "--dir", session, "--report", "json=/dev/null", "--", *inner, "sh", "-c", "/bin/true; /bin/true"], None)
    after = time.monotonic_ns()
    known = slots(session)
    assert len(known) >= 4
    assert all(before <= slot.birth <= after for slot in known), [(slot.birth - before) / 1e9 for slot in known]


def check_command_in_time_namespace():
    session = scratch("session")
    before = time.monotonic_ns()
    run([*unshare("--time", "--monotonic=1000", "--boottime=5"), MPSAN, "run", "--dir", session, "--report",
         "json=/dev/null", "--", "sh", "-c", "/bin/true; /bin/true"], None)
    assert all(before <= slot.birth <= slot.end <= time.monotonic_ns() for slot in slots(session))


def check_alive_in_time_namespace():
    """Whoever lives behind in time is not taken for dead: its birth lies before its start as the clock counts outside."""
    session = scratch("session")
    inner = unshare("--time", "--monotonic=-5", "--boottime=0")
    watched = start([*inner, "cat"], preload(session=session))
    try:
        watched.stdin.write(b"x\n")
        watched.stdin.flush()
        watched.stdout.readline()
        said = run_bare([MPSAN, "ps", session]).out
        assert "2 processes" in said and "cat, " in said, said
    finally:
        watched.kill()
        watched.communicate()


# Sessions of others, and of earlier

def check_earlier_boot():
    """The directory outlived the machine's restart: pids in it mean nothing."""
    session = scratch("session")
    run(["true"], preload(session=session))
    edit_boot(session)
    before = (session / "session").read_bytes()
    done = run_bare(["true"], 30, preload(session=session))
    assert done.exit == 0 and done.err.startswith("mpsan: ") and done.err.count("\n") == 1, done
    assert (session / "session").read_bytes() == before


def check_older_format():
    """The directory is that of an older version of mpsan."""
    session = scratch("session")
    with tarfile.open(ROOT / "tests/golden/format-2.tar.xz") as tar:
        tar.extractall(session.parent)
    (session.parent / "format-2").rename(session)
    before = (session / "session").read_bytes()
    done = run_bare(["true"], 30, preload(session=session))
    assert done.exit == 0 and "of another version" in done.err and done.err.count("\n") == 1, done
    assert (session / "session").read_bytes() == before


def edit_boot(session):
    with open(session / "session", "r+b") as file:
        file.seek(BOOT_AT)
        assert file.read(36) == Path("/proc/sys/kernel/random/boot_id").read_bytes()[:36]
        file.seek(BOOT_AT)
        file.write(b"00000000-0000-0000-0000-000000000000")
        file.seek(START_REAL_AT)
        began, = struct.unpack("=Q", file.read(8))
        file.seek(START_REAL_AT)
        file.write(struct.pack("=Q", began - HOUR_NS))  # its monotonic clock began at another time


def check_earlier_boot_of_own():
    """What the library made by itself before the restart goes when its name is wanted, or there are too many."""
    place = temporary()
    env = preload(TMPDIR=str(place))
    for _ in range(34):
        run(["true"], env)
    for session in sessions(place):
        edit_boot(session)
        session.rename(session.with_name(session.name.rsplit(".", 1)[0] + ".1"))  # of a pid namespace of that time
    run(["true"], env)
    assert len(sessions(place)) <= 34


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def foreign_place():
    """A directory of ours in one that is not."""
    need_root()
    outer = temporary()
    inner = outer / "inner"
    inner.mkdir(mode=0o755)
    os.chown(outer, 12345, 12345)
    outer.chmod(0o755)
    return inner


def check_library_below_foreign(given):
    inner = foreign_place()
    env = preload(session=inner / "session") if given else preload(TMPDIR=str(inner))
    done = run_bare(["true"], 30, env)
    assert done.exit == 0 and done.err.count("\n") == 1 and "another user" in done.err, done
    assert not list(inner.iterdir()), "something was made in a stranger's directory"


def check_command_below_foreign():
    inner = foreign_place()
    done = run_bare([MPSAN, "run", "--dir", inner / "session", "--", "true"])
    assert done.exit == 2 and "another user" in done.err and done.err.count("\n") == 1, done
    assert not list(inner.iterdir())


# What is swept

def check_orphans_keep_session():
    """The first process of a session has ended, another lives on in it: 40 further sessions do not remove it."""
    place = temporary()
    env = preload(TMPDIR=str(place))
    parent = start([sys.executable, "-c", "import os, sys\nif not os.fork(): sys.stdin.read()"], env)
    parent.wait()
    kept = sessions(place)[0]
    os.utime(kept, (1, 1))
    for _ in range(40):
        run(["true"], env)
    assert kept in sessions(place), "a session was removed under its process"
    parent.stdin.close()
    parent.stdout.read()
    assert len(sessions(place)) <= 34
    run(["true"], env)
    assert kept not in sessions(place), "it stays for ever"


def killed_supervisor(place):
    """A session whose command is killed while a process of it goes on, until its input ends."""
    process = start([MPSAN, "run", "--", "cat"], {"TMPDIR": str(place)})
    process.stdin.write(b"x\n")
    process.stdin.flush()
    process.stdout.readline()
    process.kill()
    process.wait()
    return process


def check_killed_supervisor(sweeping):
    """What it could not remove goes with the next run, or with too many sessions: not before its processes have ended."""
    place = temporary()
    other = temporary() / "kept"
    run([MPSAN, "run", "--dir", other, "--report", "json=/dev/null", "--", "true"], None)
    killed = killed_supervisor(place)
    left = set(place.rglob("session"))
    assert len(left) == 1
    session = left.pop().parent
    os.utime(session, (1, 1))
    env = {"TMPDIR": str(place)} if sweeping else preload(TMPDIR=str(place))
    command = [MPSAN, "run", "--report", "json=/dev/null", "--", "true"] if sweeping else ["true"]
    for _ in range(1 if sweeping else 40):
        run(command, env)
    assert session.exists(), "removed under its process"
    killed.stdin.close()
    killed.stdout.read()
    run(command, env)
    assert not session.exists() and other.exists()


# The table

def file_of(session):
    return (session / "session").stat().st_size


def check_small_table():
    session = scratch("session")
    run(["true"], preload(session=session))
    assert file_of(session) <= 72 << 10, file_of(session)


def check_table_grows(count):
    """Processes come and go by thousands, four at a time."""
    session = scratch("session")
    run([program("crowd_forks"), str(count), "4"], preload(session=session))
    known = slots(session)
    assert len(known) == count + 5, len(known)
    assert len({(slot.pid, slot.birth) for slot in known}) == len(known)


def check_spawns_that_exec():
    """What a shell executes in its place is no child of its parent's, however late that records the spawn."""
    session = scratch("session")
    run([program("spawn_execs"), "10"], preload(session=session))
    known = slots(session)
    assert len({slot.pid for slot in known}) == 161, len(known)
    hows = [event["process"]["how"] for event in named(dump(session), "birth")]
    assert hows.count("posix_spawn") == hows.count("exec") == 160, hows


PRIVILEGES_GO = """
import os
os.setgid(65534)
os.setuid(65534)
for _ in range(200):
    child = os.fork() or os._exit(0)
    os.waitpid(child, 0)
"""


def check_grows_for_others(supervised):
    """Who has dropped its privileges cannot make the table larger: there is room before."""
    need_root()
    command = [system_python(), "-c", PRIVILEGES_GO]
    if supervised:
        done = run_mpsan(command)
        assert done.exit == 0 and len(done.report["processes"]) == 201, done
        return
    session = scratch("session")
    done = run_bare(command, 30, preload(session=session))
    assert (done.exit, done.out, done.err) == (0, "", "") and len(slots(session)) == 201, done


def check_no_room_to_grow():
    """A limit leaves room for a thousand processes: one line, and the program is as without."""
    session = scratch("session")
    command = ["sh", "-c", f"ulimit -f 600; exec {program('crowd_forks')} 2000 4"]
    done = run_bare(command, 30, preload(session=session))
    assert done.exit == 0 and done.out == run_bare(command).out, done
    assert done.err.count("\n") == 1 and "process table is full" in done.err, done
    assert 500 < len(slots(session)) <= 1024


main({
    "stranger_is_not_joined": check_stranger_is_not_joined,
    "session_goes_into_namespace": check_session_goes_into_namespace,
    "pid_one_below_pid_one": check_pid_one_below_pid_one,
    "same_pid_in_two_namespaces": check_same_pid_in_two_namespaces,
    "pid_again": check_pid_again,
    "time_ahead": functools.partial(check_time_namespace, 1000000),
    "time_behind": functools.partial(check_time_namespace, -100),
    "command_in_time_namespace": check_command_in_time_namespace,
    "alive_in_time_namespace": check_alive_in_time_namespace,
    "earlier_boot": check_earlier_boot,
    "older_format": check_older_format,
    "earlier_boot_of_own": check_earlier_boot_of_own,
    "library_below_foreign": functools.partial(check_library_below_foreign, True),
    "library_below_foreign_temporary": functools.partial(check_library_below_foreign, False),
    "command_below_foreign": check_command_below_foreign,
    "orphans_keep_session": check_orphans_keep_session,
    "killed_supervisor": functools.partial(check_killed_supervisor, True),
    "killed_supervisor_and_library": functools.partial(check_killed_supervisor, False),
    "small_table": check_small_table,
    "table_grows": functools.partial(check_table_grows, rounds(2000, 10000)),
    "spawns_that_exec": check_spawns_that_exec,
    "grows_for_others": functools.partial(check_grows_for_others, True),
    "grows_for_others_preload": functools.partial(check_grows_for_others, False),
    "no_room_to_grow": check_no_room_to_grow,
})
