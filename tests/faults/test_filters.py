#!/usr/bin/env python3
"""Filters of system calls (seccomp) that end who makes a call: inherited by the library alone, by `mpsan run`, from a
program under it, or set by the program itself. Nobody dies who would not die alone, and what can be found is found."""
# cases
# limit: 240

import functools
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import preload, program, scratch  # noqa: E402
from mpsantest import MPSAN, ROOT, Skip, dump, full_environment, main, run_bare, system_python  # noqa: E402

JAIL = program("jail")
HAZARD = [system_python(), str(ROOT / "examples/lock-over-start/hazard.py")]


def rows(macro, table):
    """{call: what is done without it} of a table, for this processor."""
    text = subprocess.run(["cc", "-E", "-P", "-x", "c", ROOT / table], text=True, stdout=subprocess.PIPE, check=True).stdout
    return dict(re.findall(rf"\b{macro}\((\w+), (\w+)\)", text))


LIBRARY, SUPERVISOR = rows("CALL", "include/mpsan_calls.def"), rows("TOOL_CALL", "tools/base/calls.def")

# What SystemCallFilter=@system-service of systemd 252 lets pass.
SYSTEM_SERVICE = """
    accept accept4 access add_key alarm arch_prctl bind brk capget capset chdir chmod chown clock_getres
    clock_gettime clock_nanosleep clone clone3 close close_range connect copy_file_range creat dup dup2 dup3
    epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old
    eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64 fallocate fchdir fchmod
    fchmodat fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat
    fstatfs fsync ftruncate futex futex_waitv futimesat get_mempolicy get_robust_list get_thread_area getcpu
    getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp getpid
    getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid
    gettimeofday getuid getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel
    io_destroy io_getevents io_pgetevents io_setup io_submit io_uring_enter io_uring_register io_uring_setup
    ioctl ioprio_get ioprio_set kcmp keyctl kill lchown lgetxattr link linkat listen listxattr llistxattr
    lremovexattr lseek lsetxattr lstat madvise mbind membarrier memfd_create migrate_pages mkdir mkdirat mknod
    mknodat mlock mlock2 mlockall mmap move_pages mprotect mq_getsetattr mq_notify mq_open mq_timedreceive
    mq_timedsend mq_unlink mremap msgctl msgget msgrcv msgsnd msync munlock munlockall munmap name_to_handle_at
    nanosleep newfstatat open openat openat2 pause personality pidfd_open pidfd_send_signal pipe pipe2 poll
    ppoll prctl pread64 preadv preadv2 prlimit64 process_madvise process_vm_readv process_vm_writev pselect6
    pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recvfrom recvmmsg recvmsg
    remap_file_pages removexattr rename renameat renameat2 request_key restart_syscall rmdir rseq rt_sigaction
    rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
    sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam
    sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler
    sched_yield select semctl semget semop semtimedop sendfile sendmmsg sendmsg sendto set_mempolicy
    set_mempolicy_home_node set_robust_list set_thread_area set_tid_address setfsgid setfsuid setgid setgroups
    setitimer setns setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid setsockopt setuid
    setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd signalfd4 socket socketpair splice stat
    statfs statx symlink symlinkat sync sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete
    timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill
    truncate umask uname unlink unlinkat unshare userfaultfd utime utimensat utimes vfork vmsplice wait4 waitid
    write writev
""".split()


@functools.lru_cache
def numbers():
    text = subprocess.run(["cc", "-E", "-dM", "-include", "asm/unistd.h", "-x", "c", "/dev/null"], text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    found = dict(re.findall(r"#define (__NR\w+) (\w+)", text))  # aarch64's header has __NR_fstat as __NR3264_fstat
    return {name.removeprefix("__NR_"): found.get(number, number) for name, number in found.items()}


def jail(action, mode, names):
    words = [JAIL, action, mode, *(numbers()[name] for name in names if name in numbers()), "--"]
    if run_bare([JAIL, "errno", "deny", "--", "true"]).exit == 77:
        raise Skip("no seccomp here")
    return words


def run(command, timeout=30, env=None):
    """Also of a command that hangs: its exit is None then."""
    process = subprocess.Popen([str(word) for word in command], env=full_environment(env), text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err


def for_shell(done):
    return (done[0] if done[0] >= 0 else 128 - done[0], done[1])


def same(bare, done, what):
    assert for_shell(bare) == for_shell(done), f"{what}: bare {bare}\n{done}"


WORK = [program("workout"), "threads,locks,forks,vforks,spawns"]
TIGHT = [program("tight"), "fork"]


def check_under_run(action, names, command=TIGHT):
    """`mpsan run` was started under the filter: all of its own calls are tried, and the library's."""
    for name in names:
        cell = jail(action, "deny", [name])
        same(run([*cell, *command]), run([*cell, MPSAN, "run", "--fail-on=never", "--", *command]), name)


def check_alone(names, command=WORK):
    """The library alone, which nobody told what passes: it makes hardly a call that the loader has not just made."""
    for name in names:
        cell = jail("kill", "deny", [name])
        for env in (preload(session=scratch("session")), preload(TMPDIR=str(scratch("x").parent))):
            same(run([*cell, *command]), run([*cell, *command], env=env), name)


def check_between(names):
    """A program under `mpsan run` sets the filter, then executes another."""
    for name in names:
        cell = jail("kill", "deny", [name])
        same(run([*cell, *WORK]), run([MPSAN, "run", "--fail-on=never", "--", *cell, *WORK]), name)


def check_own(action, names):
    """The program sets the filter and goes on: the library has read it, and makes no other call."""
    for name in names:
        cell = jail(action, "deny", [name])
        session = scratch("session")
        bare = run(cell)
        same(bare, run(cell, env=preload(session=session)), name)
        aside = bare[0] != 3 or name in ("getpid", "gettid")  # nobody could say who he is
        assert aside or [event for event in dump(session) if event["event"] == "fork"], name


def check_own_list():
    """All that a program needs, and nothing else: the library lives on what there is."""
    need = ("read write close mmap munmap mprotect brk futex exit exit_group rt_sigreturn rt_sigprocmask clone clone3 "
            "wait4 madvise set_robust_list rseq rt_sigaction getrandom").split()
    cell = jail("kill", "allow", need)
    done = run(cell)
    assert done[0] == 3, done
    for env in (preload(session=scratch("session")), preload(TMPDIR=str(scratch("x").parent))):
        same(done, run(cell, env=env), "list")
    same(done, run([MPSAN, "run", "--", *cell]), "list")


def check_found(cell):
    """An error is found, and proved, under the filter as without it."""
    for command in ([*cell, MPSAN, "run", "--on-deadlock=kill", "--", *HAZARD],
                    [MPSAN, "run", "--on-deadlock=kill", "--", *cell, *HAZARD]):
        status, _, said = run(command)
        assert status == 66 and "error: fork-orphaned-lock" in said, (command, status, said)


def check_service():
    cell = jail("kill", "allow", SYSTEM_SERVICE)
    for command in (TIGHT, WORK):
        bare = run([*cell, *command])
        same(bare, run([*cell, MPSAN, "run", "--", *command]), "run")
        same(bare, run([*cell, *command], env=preload(session=scratch("session"))), "alone")
    check_found(cell)


def check_no_line():
    """Where all passes that matters, as in a container, nothing is said."""
    for action, names in (("errno", ["reboot"]), ("kill", ["clock_adjtime", "adjtimex"])):
        done = run([*jail(action, "deny", names), MPSAN, "run", "--", *WORK])
        assert done[0] == 0 and "seccomp" not in done[2], done


def check_line():
    done = run([*jail("kill", "deny", ["rt_sigtimedwait"]), MPSAN, "run", "--", "sh", "-c", "exit 4"])
    assert done[0] == 4 and done[2].count("\n") == 1 and "seccomp" in done[2], done
    assert done[2].startswith("mpsan: ") and done[2].endswith("; the program runs unwatched\n"), done


def check_other_commands():
    session = scratch("session")
    run(WORK, env=preload(session=session))
    cell = jail("kill", "deny", [name for name, need in SUPERVISOR.items() if need == "SPARED"])
    for words in (["report", session], ["ps", session], ["dump", session], ["doctor"], ["doctor", "--", *WORK]):
        done = run([*cell, MPSAN, *words])
        assert done[0] in (0, 1), (words, done)
    assert "seccomp: a filter kills the caller of" in done[1], done


SPARED = [name for name, what in LIBRARY.items() if what == "SPARE" and name != "prctl"]
EVERY = sorted({*LIBRARY, *SUPERVISOR} - {"mmap", "munmap", "mprotect", "brk", "openat", "close", "read"})
QUARTERS = {f"under_run_{i}": functools.partial(check_under_run, "kill", EVERY[i::4]) for i in range(4)}
main({**QUARTERS, "under_run_trap": functools.partial(check_under_run, "trap", EVERY[::9]),
      "under_run_errno": functools.partial(check_under_run, "errno", EVERY[::9]),
      "alone": functools.partial(check_alone, SPARED), "between": functools.partial(check_between, SPARED),
      "own": functools.partial(check_own, "kill", list(LIBRARY)), "own_trap": functools.partial(check_own, "trap", SPARED),
      "own_list": check_own_list, "service": check_service,
      "found": lambda: check_found(jail("kill", "deny", ["process_vm_readv", "fallocate"])),
      "no_line": check_no_line, "line": check_line, "other_commands": check_other_commands})
