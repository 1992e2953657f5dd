#!/usr/bin/env python3
"""mpsan attach on programs whose past decides: what memory and the kernel keep of threads, workers, forks and calls."""
# cases

import concurrent.futures
import functools
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("lib", "pythons")]

from attached import first_findings  # noqa: E402
from faults import build, scratch  # noqa: E402
from mpsantest import BUILD, MPSAN, ROOT, Skip, fake_environment, loud_findings, main, system_python  # noqa: E402
from pythons import free_threaded  # noqa: E402

LOOKS = 4  # a busy machine may be late


def command_of(name, python=None):
    path = ROOT / "tests" / name
    return [python or system_python(), path] if path.suffix == ".py" else [BUILD / "tests" / Path(name).with_suffix("")]


def findings_of(command, looks, **more):
    """(rule, severity, message) of each."""
    return [(one["rule"], one["severity"], one["message"]) for one in first_findings(command, looks, **more)[1]]


def told(name, rule, python=None, **more):
    loud = findings_of(command_of(name, python), LOOKS, **more)
    assert [one[:2] for one in loud] == [(rule, "error")], loud
    return loud[0][2]


def silent(source, python=None):
    loud = findings_of([python or system_python(), "-c", source], 1)
    assert not loud, loud


def check_thread_of_python():
    """The register of living threads has a gap behind the one that waits."""
    assert "nobody is left" in told("preload/waits/deadlock-cycle-lost-producer.py", "deadlock-cycle")


def check_thread_of_c():
    """The C library keeps the stack of a thread that has ended."""
    told("trial/pthread/notify-before-wait.c", "deadlock-cycle")


def check_worker_unreaped():
    told("trial/peers/get-from-failed-child.py", "deadlock-cycle")


def check_worker_reaped():
    """The set of living children has a gap."""
    told("preload/waits/deadlock-cycle-sender-crashed.py", "deadlock-cycle")


def check_child_of_c():
    """A zombie that was forked and has not exec'd."""
    told("preload/waits/deadlock-cycle-sender-crashed.c", "deadlock-cycle")


def check_exit():
    told("preload/waits/deadlock-cycle-exit-join.c", "deadlock-cycle")


def with_driver(delay_ms):
    """The environment of a program whose CUDA driver has threads of its own."""
    return {**os.environ, **fake_environment(["cuda", "1", f"THREADS={delay_ms}"])}


def check_driver():
    """A thread of the CUDA driver wakes up ten times a second, but reads from no pipe."""
    told("preload/workers/join-before-drain-driver-threads.py", "join-before-drain", env=with_driver(100))


def check_driver_calls():
    """Whatever it calls for the program may post a semaphore."""
    loud = findings_of(command_of("preload/cuda/silent-host-function.c"), 1, env=with_driver(30_000))
    assert not loud, loud


def check_watchdog():
    """The thread of faulthandler, beside which nobody is left who could end the wait."""
    told("preload/waits/deadlock-cycle-faulthandler.py", "deadlock-cycle")


def check_readers():
    """Who reads is in no memory: it must be the waiter, the only thread that the process ever had."""
    told("trial/pthread/cpp-shared-mutex-upgrade.cc", "self-deadlock")


def check_bigger_team():
    """A child of a fork whose pool made threads of its own, and waits for those that were not copied."""
    told("preload/fork/fork-thread-pool-bigger.c", "fork-thread-pool")


def check_team_beside_others():
    """The child has other threads, none of which began in libgomp, and handlers of signals, which end no region."""
    message = told("preload/fork/fork-thread-pool-beside.c", "fork-thread-pool")
    assert "at use_pool (fork-thread-pool-beside.c:" in message and "the thread pool of libgomp" in message, message


# A forked child waits for what a thread beside it, which is none of libgomp's, will release; or for its own team, which is at work.
BESIDE = """
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static omp_lock_t lock;
static void *keep(void *unused) { omp_set_lock(&lock); sleep(1000); return unused; }
static void work(int threads)
{
#pragma omp parallel num_threads(threads)
	if (omp_get_thread_num()) sleep(1000);
}
static void *lead(void *unused) { work(2); return unused; }
int main(int count, char **word)
{
	pthread_t thread;
	omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
	if (omp_get_thread_num() > 9) exit(1);
	if (fork()) return wait(NULL);
	if (count > 1 && !strcmp(word[1], "lock")) {
		pthread_create(&thread, NULL, keep, NULL);
		usleep(300000);
		omp_set_lock(&lock);
	} else {
		pthread_create(&thread, NULL, lead, NULL);
		pthread_join(thread, NULL);
	}
}
"""


def check_team_at_work():
    """A lock of OpenMP has an owner elsewhere, and a thread that was made after the fork a team of its own."""
    program = build(BESIDE, scratch("beside"), "-fopenmp")
    for word in "lock", "team":
        loud = findings_of([program, word], 1)
        assert not loud, f"{word}: {loud}"


def check_warmed_up():
    """Threads that ended before the one that waits began do not count."""
    silent("import queue, threading\nwarm = [threading.Thread(target=int) for _ in range(4)]\n"
           "for one in warm: one.start()\nfor one in warm: one.join()\n"
           "server = threading.Thread(target=queue.Queue().get)\nserver.start()\nserver.join()\n")


def check_alarm():
    """An alarm that was set before exec, and is meant to be the end."""
    silent("import os, signal, sys\nsignal.alarm(3)\nos.execv(sys.executable, [sys.executable, '-c', '''\n"
           "import threading\nlock, news = threading.Lock(), threading.Condition()\nwith lock:\n"
           "    threading.Thread(target=lock.acquire, daemon=True).start()\n    with news: news.wait()\n'''])\n")


def check_worker_of_a_pool():
    """The frames of a worker that was forked in place of the lost one say so."""
    assert "had a task when it ended, and was replaced" in told("preload/workers/worker-lost.py", "worker-lost")


def check_pool_at_work_after_a_loss():
    """Nobody waits for the lost task, and the pool works on another one."""
    silent("import multiprocessing, os, time\n"
           "with multiprocessing.Pool(2) as pool:\n"
           "    pool.apply_async(os._exit, (1,))\n"
           "    pool.apply(time.sleep, (1000,))")


def check_own_condition():
    """A forked child waits for a condition that it has made: its way to stay alive until a signal ends it."""
    silent("import os, signal, threading\n"
           "child = os.fork()\n"
           "if not child:\n"
           "    condition = threading.Condition()\n"
           "    with condition: condition.wait()\n"
           "os.waitpid(child, 0)\n")


def check_condition_of_the_parent():
    """The same lock and list of waiters are in the parent's memory, so it was there at the fork."""
    told("preload/fork/fork-lost-wakeup-attribute.py", "fork-lost-wakeup")


def check_lock_of_libc():
    """A forked child has no thread that would give it back, and the parent has others."""
    for name in ("localtime", "exit"):
        assert "exists only in the parent" in told(f"preload/fork/fork-libc-lock-{name}-hang.c", "fork-libc-lock")


NUMBERS_BEGIN_AGAIN = """
limit=$(cat /proc/sys/kernel/pid_max)
echo $((limit - 3)) > /proc/sys/kernel/ns_last_pid || exit 77
"$1" &
until read child others < /proc/$!/task/$!/children; [ -n "$child" ]; do kill -0 $! || exit 1; done
[ $child -lt $! ] || exit 1
for look in 1 2 3 4; do
	"$2" attach --no-conf --report "json=$3" $!
	[ $? = 66 ] && exit
done
"""


def check_lock_of_libc_as_numbers_begin_again():
    """The thread that held it has the highest number that there is, or a low one, and so has the child."""
    report = scratch("report.json")
    run = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", NUMBERS_BEGIN_AGAIN,
                          "sh", *command_of("preload/fork/fork-libc-lock-localtime-hang.c"), MPSAN, report],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    if run.returncode == 77 or not report.exists() and "unshare:" in run.stderr:
        raise Skip("needs root, and a kernel that lets the next PID be set")
    assert run.returncode == 0, run
    loud = loud_findings(json.loads(report.read_text()))
    assert [one["rule"] for one in loud] == ["fork-libc-lock"], loud


INTERRUPTED = """
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
void *__libc_calloc(size_t count, size_t bytes);
static volatile int armed;
static void nothing(void) { }
static void handle(int signal) { (void)signal; atexit(nothing); }
void *calloc(size_t count, size_t bytes)
{
	if (armed) { armed = 0; raise(SIGCHLD); }
	return __libc_calloc(count, bytes);
}
static void *idle(void *unused) { for (;;) pause(); return unused; }
int main(void)
{
	pthread_t thread;
	signal(SIGCHLD, handle);
	pthread_create(&thread, NULL, idle, NULL);
	if (fork()) return wait(NULL);
	armed = 1;
	for (int i = 0; i < 100; i++) atexit(nothing);
}
"""


def check_lock_of_libc_in_a_handler():
    """The child itself took it, after the fork: a signal interrupted it."""
    loud = findings_of([build(INTERRUPTED, scratch("interrupted"), "-pthread")], LOOKS)
    assert [one[:2] for one in loud] == [("deadlock-cycle", "error")], loud


def check_pool_of_a_library():
    """Its threads stand in the parent, where the code is in which they began; those of the program are no pool."""
    assert "thread pool of pool.so: its 3 thread(s)" in told("preload/fork/fork-thread-pool-library.c", "fork-thread-pool")
    assert "all 3 threads that were started" in told("preload/fork/fork-lost-wakeup-pool.c", "fork-lost-wakeup")


def check_owner_has_ended():
    """By the counts of the interpreters that are left, also where the lock has a name that only the job knows."""
    for name in ("get", "spawn"):
        assert "no process that is left has it" in told(f"preload/waits/lock-owner-killed-{name}.py", "lock-owner-killed")


def check_owner_lives():
    """It took the lock by acquire(), and waits for the one that waits for the lock."""
    source = ("import multiprocessing\nlock, (here, there) = multiprocessing.Lock(), multiprocessing.Pipe()\n"
              "def keep():\n    lock.acquire()\n    there.send(1)\n    there.recv()\n"
              "worker = multiprocessing.Process(target=keep)\nworker.start()\nhere.recv()\n"
              "with lock: here.send(1)\n")
    loud = findings_of([system_python(), "-c", source], LOOKS)
    assert "lock-owner-killed" not in [one[0] for one in loud], loud


def check_robust_mutex():
    """The kernel passes it on to nobody in a copy of its memory."""
    told("preload/fork/fork-orphaned-lock-robust.c", "fork-orphaned-lock")


def check_import():
    """The frames of the child say of what, and those of the parent by whom."""
    assert 'import lock "slow_module": thread "warm-up"' in told("preload/imports/fork-during-import-orphan.py",
                                                                 "fork-during-import")


def with_mutexes():
    found = free_threaded().values()
    if not found:
        raise Skip("needs the builds without a GIL of tools/dev/bootstrap --pythons")
    return found


def check_mutex():
    """A PyMutex lies at the same address in the parent, whose thread is in a `with` block of it."""
    for python in with_mutexes():
        for name, line in ("fork-orphaned-lock", 15), ("fork-orphaned-lock-rlock", 15), ("fork-orphaned-lock-grandchild", 17):
            message = told(f"preload/fork/{name}.py", "fork-orphaned-lock", python)
            assert '"keeper" (TID' in message and f"held it, taken at keep_lock ({name}.py:{line})" in message, message


def check_lock_of_the_grandparent():
    """No thread of the parent holds it."""
    message = told("preload/fork/fork-orphaned-lock-grandchild.py", "fork-orphaned-lock")
    assert "held it, taken at keep_lock (fork-orphaned-lock-grandchild.py:17)" in message, message


TAKERS = {"by_call": "by_call", "by_generator": "rows", "by_context_manager": "transaction", "by_exit_stack": "by_exit_stack",
          "by_guard": "by_guard"}


def taker_told(python, case):
    loud = findings_of([python, ROOT / "tests/pythons/lock_names.py", case], LOOKS)
    assert [one[:2] for one in loud] == [("fork-orphaned-lock", "error")], f"{case}: {loud}"
    assert '"taker" (TID' in loud[0][2], f"{case}: {loud}"
    assert f"probably held it, taken at {TAKERS[case]} (lock_names.py:" in loud[0][2], f"{case}: {loud}"


def takers_told(python):
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(functools.partial(taker_told, python), TAKERS))


def check_lock_without_a_block():
    """It was taken by acquire(), or in what the frames of the parent's thread have entered."""
    takers_told(system_python())


def check_mutex_without_a_block():
    takers_told(list(with_mutexes())[-1])


def check_lock_as_a_signal():
    """Two threads of the parent take what another one releases: none of them holds it."""
    source = ("import os, threading, time\nwork, done = threading.Lock(), threading.Event()\nwork.acquire()\n"
              "def give():\n    while True:\n        done.wait()\n        work.release()\n"
              "def take():\n    while True:\n        work.acquire()\n        time.sleep(1000)\n"
              "for one in give, take, take: threading.Thread(target=one, daemon=True).start()\n"
              "done.set()\ntime.sleep(.2)\ndone.clear()\n"
              "child = os.fork()\nif not child: work.acquire()\nos.waitpid(child, 0)\n")
    loud = findings_of([system_python(), "-c", source], LOOKS)
    assert [one[:2] for one in loud] == [("fork-lost-wakeup", "error")], loud


def check_lock_made_anew():
    """The parent's thread has its copy; that of the child is free again, and taken by a thread of the child."""
    for python in (system_python(), *list(free_threaded().values())[-1:]):
        silent("import os, threading, time\nlock, taken = threading.Lock(), threading.Event()\n"
               "def keep():\n    with lock:\n        taken.set()\n        time.sleep(1000)\n"
               "threading.Thread(target=keep, daemon=True).start()\ntaken.wait()\n"
               "child = os.fork()\nif not child:\n    lock._at_fork_reinit()\n    taken.clear()\n"
               "    threading.Thread(target=keep, daemon=True).start()\n    taken.wait()\n    with lock: pass\n"
               "os.waitpid(child, 0)\n", python)


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
