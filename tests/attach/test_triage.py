#!/usr/bin/env python3
"""What kind of standstill a program is in, said by mpsan ps and mpsan attach of programs that were started bare."""
# cases

import contextlib
import ctypes
import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import attached, look, running, started, triage, until  # noqa: E402
from faults import build, scratch  # noqa: E402
from mpsantest import MPSAN, kill_group, main, need_profiler, other_pythons, system_python  # noqa: E402


def check_running():
    with started("def burn(n):\n    while True: n += 1\nburn(0)") as process:
        line = until(process.pid, "running", r"at burn \(<string>:2\), \d+ % of a processor")
        assert line["text"].startswith("slow, or spinning: 1 thread runs: the main thread of process ") and line["pid"] == process.pid


def until_spins(pid, place):
    """Until attach, which takes samples, says so of the only thread; the time limit of tests ends this."""
    said = rf"spins at one place: 1 thread runs: the main thread of process {pid} .* at {place}, \d+ % of a processor"
    while not re.search(said, subprocess.run([MPSAN, "attach", "--no-conf", str(pid)], capture_output=True, text=True, timeout=30).stdout):
        assert triage(pid)[0]["kind"] == "running"


def check_spinning():
    """In a loop that only tests, of Python; check_running_native has one in C."""
    need_profiler()
    with started("def burn():\n    while True: pass\nburn()") as process:
        until_spins(process.pid, r"burn \(<string>:2\)")


def check_running_beside_others():
    """It never sleeps, but gets little of the processor that it shares; its neighbour sleeps."""
    alone = "import os, time\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nfor i in range(2):\n    if os.fork() == 0:\n        while True: pass\n"
    for loop, kinds in (("os.sched_yield()", {"running", "spinning"}), ("time.sleep(0.01)", {"polling", "sleep"})):
        with started(alone + f"os.nice(10)\nwhile True: {loop}") as process:
            while not re.match("(2|3) threads run", triage(process.pid)[0]["text"].split(": ")[1]):
                time.sleep(0.1)
            for _ in range(3):
                own = [thread for at in look(process.pid)["processes"] if at["pid"] == process.pid for thread in at["threads"]]
                assert own[0]["kind"] in kinds, own


def check_handler_that_waits():
    """Whatever it waits for, a handler of a signal is meant to return."""
    with started("import os, signal, threading\ndone = threading.Event()\nsignal.signal(signal.SIGTERM, lambda *a: done.wait())\n"
                 "os.kill(os.getpid(), signal.SIGTERM)\ndone.set()") as process:
        until(process.pid, "wait", r"waits for Event.set")


def check_seen_late():
    """What was so before it was seen: an end, and a fork by one of several threads; a thread that is stopped waits for nothing."""
    with started("import os, signal, threading, time\nif os.fork() == 0: os._exit(3)\n"
                 "def fork():\n    if os.fork() == 0: os.kill(os.getpid(), signal.SIGSTOP)\n    time.sleep(1000)\n"
                 "t = threading.Thread(target=fork); t.start(); t.join()") as process:
        until(process.pid, "stopped")
        text = subprocess.run([MPSAN, "ps", str(process.pid)], capture_output=True, text=True, timeout=30).stdout
        assert re.search(r"(exit 3|ended) at least .* ago", text), text
        assert re.search(r"- main thread is stopped by a signal; kill -CONT \d+ lets it go on, at fork \(<string>:4\)", text), text


def check_lock_of_a_running_thread():
    with started("import threading\nm, both = threading.Lock(), threading.Barrier(2)\n"
                 "def burn():\n    with m:\n        both.wait()\n        while True: pass\n"
                 "threading.Thread(target=burn, name='burner', daemon=True).start()\nboth.wait()\nwith m: pass") as process:
        line = until(process.pid, "lock", r'1 thread waits for Lock "m".*held by thread "burner".*which runs, \d+ %.*at burn')
        assert line["waiters"] == 1, line


def check_lock_of_a_sleeping_thread():
    with started("import threading, time\nm, both = threading.Lock(), threading.Barrier(2)\n"
                 "def nap():\n    with m:\n        both.wait()\n        time.sleep(1000)\n"
                 "threading.Thread(target=nap, name='napper', daemon=True).start()\nboth.wait()\nwith m: pass") as process:
        until(process.pid, "lock", r'waits for Lock "m".*held by thread "napper".*which sleeps until .*at nap')


# How a pool of two is made, and how one of its workers is made to sleep; the other one has had a task, too.
POOLS = {
    "Pool": "p = mp.Pool(2)\np.apply_async(time.sleep, (1000,))",
    "Pool, of a map": "p = mp.Pool(2)\np.map_async(time.sleep, [1000])",
    "ThreadPool": "p = mp.pool.ThreadPool(2)\np.apply_async(time.sleep, (1000,))",
    "processes": "p = cf.ProcessPoolExecutor(2)\nlist(p.map(time.sleep, [0.2] * 2))\np.submit(time.sleep, 1000)",
    "threads": "p = cf.ThreadPoolExecutor(2)\nlist(p.map(time.sleep, [0.2] * 2))\np.submit(time.sleep, 1000)",
}


def until_both(pid, why):
    """One worker sleeps and one waits for a task; the time limit of tests ends this."""
    while True:
        texts = [line["text"] for line in triage(pid) if line["kind"] in ("sleep", "idle")]
        busy = [text for text in texts if re.search(r"sleeps until .* at (worker|mapstar|_process_worker|(_WorkItem\.)?run) ", text)]
        idle = [text for text in texts if re.search(r"^idle: .*waits for a task of its (Pool|executor)", text)]
        assert not any("of its Pool" in text or "of its executor" in text for text in busy), (why, busy)
        if len(busy) == len(idle) == 1:
            return
        time.sleep(0.1)


def check_tasks_in_c():
    """A worker whose task is a function written in C runs it, and one without a task waits for one."""
    pythons = [system_python(), *list(other_pythons().values())[:: 1 if os.environ.get("MPSAN_FULL") == "1" else 3]]
    for python in pythons:
        with contextlib.ExitStack() as stack:
            for name, make in POOLS.items():
                source = ("import concurrent.futures as cf, multiprocessing as mp, multiprocessing.pool, signal, time\n"
                          f"mp.set_start_method('fork')\n{make}\nsignal.pause()")
                until_both(stack.enter_context(started(source, python=python)).pid, (python, name))


def check_other_process():
    """A pipe whose writer is not part of the program."""
    reader, writer = os.pipe()
    with started("import sys\nsys.stdin.read()", stdin=reader) as process:
        os.close(reader)
        until(process.pid, "outside", f"data in a pipe from process {os.getpid()} ")
    os.close(writer)


def check_terminal():
    master, slave = pty.openpty()
    with started("input()", stdin=slave) as process:
        until(process.pid, "terminal", r"waits for /dev/pts/\d+")
    os.close(master)
    os.close(slave)


def check_stopped():
    with started("import time\ntime.sleep(1000)") as process:
        until(process.pid, "sleep", r"sleeps until \d\d:\d\d:\d\d, in 16 min")
        os.kill(process.pid, signal.SIGSTOP)
        until(process.pid, "stopped", f"stopped by a signal; kill -CONT {process.pid} lets it go on")


def check_debugger():
    """A tracer: ptrace(PTRACE_SEIZE), then an interrupt."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    with started("import time\ntime.sleep(1000)") as process:
        until(process.pid, "sleep")
        assert libc.ptrace(0x4206, process.pid, None, None) == 0, ctypes.get_errno()
        assert libc.ptrace(0x4207, process.pid, None, None) == 0, ctypes.get_errno()
        until(process.pid, "stopped", rf"stopped by a debugger, process {os.getpid()} \(")


SPIN = """
#include <stdlib.h>
volatile int end;
static __attribute__((noinline)) int compare(const void *one, const void *other)
{
	while (!end) ;
	return one < other;
}
int main(void)
{
	int two[2] = {0};
	qsort(two, 2, sizeof(*two), compare);
}
"""


def check_running_native():
    """The functions of a thread that runs in C, of which the kernel's profiler takes a sample: it need not stop."""
    need_profiler()
    with running(build(SPIN, scratch("spin"))) as process:
        until_spins(process.pid, r"compare \(source.c:6\)")
        functions = []
        while not functions:  # a busy machine may not run it while the profiler looks; the time limit of tests ends this
            run = subprocess.run([MPSAN, "ps", "--json", str(process.pid)], capture_output=True, text=True, timeout=30, check=True)
            thread, = json.loads(run.stdout)["processes"][0]["threads"]
            functions = [frame["function"] for frame in thread["stack"]]
        assert functions[0] == "compare" and "main" in functions, functions


def check_gpu_that_spins():
    """By default the driver waits for its device on a processor."""
    need_profiler()
    source = "volatile int end;\nint cuStreamSynchronize(void *stream) { while (!end) ; return stream != 0; }\n"
    with driver_of(source) as process:
        until(process.pid, "gpu", r"is in cuStreamSynchronize, which spins, at step \(<string>:2\)")


@contextlib.contextmanager
def driver_of(source):
    """A program that waits in a driver of such a source."""
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        driver = Path(place, "libcuda.so.1")
        subprocess.run(["cc", "-shared", "-fPIC", "-g", "-o", driver, "-xc", "-"], input=source, text=True, check=True)
        with started(f"import ctypes\ndef step(): ctypes.CDLL({str(driver)!r}).cuStreamSynchronize(None)\nstep()") as process:
            yield process


def check_gpu():
    """A driver whose call waits: what is known of it is the name of its library and of its function."""
    with driver_of("#include <poll.h>\nint cuStreamSynchronize(void *stream) { return poll(stream, 0, -1); }\n") as process:
        until(process.pid, "gpu", r"is in cuStreamSynchronize, at step \(<string>:2\), for at least")


def check_polling():
    with started("import time\ndef ask():\n    while True: time.sleep(0.02)\nask()") as process:
        until(process.pid, "polling", r"wakes up \d+ times a second, at ask \(<string>:3\)")


def check_child():
    """A parent waits for what its child waits for."""
    with started("import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time\\ntime.sleep(1000)'])") as process:
        line = until(process.pid, "sleep", "1 thread waits for that")
        assert line["pid"] != process.pid, line
    with started("import subprocess, sys\ntry: {}['a']\nfinally: subprocess.run(['sleep', '1000'])") as process:
        until(process.pid, "sleep", r"1 thread waits for that while handling KeyError\('a'\) raised at <module> \(<string>:2\)")


def check_ignored_signals():
    """A worker that ignores the signal by which its parent, which waits for its end, may have asked for it."""
    for number, waits in ("SIGTERM", "os.waitpid(child, 0)"), ("SIGINT", "os.wait()"), ("SIGHUP", "os.waitpid(child, 0)"):
        reset = "for n in 'SIGINT', 'SIGHUP': signal.signal(getattr(signal, n), signal.SIG_DFL)\n"
        with started(f"import os, signal, time\n{reset}child = os.fork()\nif child:\n    {waits}\nelse:\n"
                     f"    signal.signal(signal.{number}, signal.SIG_IGN)\n    time.sleep(1000)") as process:
            until(process.pid, "sleep", f"its process ignores {number}; 1 thread waits for that")
        with started(f"import os, signal, time\nsignal.signal(signal.{number}, signal.SIG_IGN)\ntime.sleep(1000)") as process:
            line = until(process.pid, "sleep")
            assert number not in line["text"], line


def check_signals():
    """Which signals end a wait for one; a call on a descriptor that another thread has closed."""
    with started("import signal\nsignal.signal(signal.SIGUSR1, print)\nsignal.pause()") as process:
        until(process.pid, "wait", r"waits for pause\(\), until SIGINT or SIGUSR1 comes, at <module>")
    with started("import os, socket, threading, time\na, b = socket.socketpair()\n"
                 "t = threading.Thread(target=os.read, args=(a.fileno(), 1))\nt.start()\n"
                 "time.sleep(0.5)\na.close()\nt.join()") as process:
        until(process.pid, "wait", r"waits for read\(fd \d+\), which its process has closed, at ")


def check_handler():
    """A function that waits is named as a handler where it runs as one."""
    for call, handled in ("os.kill(os.getpid(), signal.SIGUSR1)", True), ("stop(0, None)", False):
        with started("import os, queue, signal\nitems = queue.Queue()\ndef stop(number, frame):\n    items.get()\n"
                     f"signal.signal(signal.SIGUSR1, stop)\n{call}\nprint()") as process:
            lines = ""
            while "an item of a queue.Queue, at " not in lines:
                lines = triage(process.pid)[0]["text"]
            assert (" in the handler of SIGUSR1" in lines) == handled, lines


def check_idle():
    source = ("import asyncio\nasync def main():\n    server = await asyncio.start_server(print, '127.0.0.1', 0)\n"
              "    await server.serve_forever()\nasyncio.run(main())")
    with started(source) as process:
        until(process.pid, "idle", r"waits for connections to 127.0.0.1:\d+")


def check_folded():
    with started("import threading, time\nfor i in range(30): threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
                 "time.sleep(1000)") as process:
        while True:
            line = [line["text"] for line in triage(process.pid) if line["threads"] == 30 and line["kind"] == "wait"]
            if line:
                break
            time.sleep(0.1)
        assert re.search("waits, and nothing is proved: 30 threads of process ", line[0]), line


def check_told_once():
    """Threads of a proof are in no other line; one beside them is."""
    with started("import threading, time\nlocks = [threading.Lock(), threading.Lock()]\n"
                 "def take(one, other):\n    with one:\n        time.sleep(0.5)\n        with other: pass\n"
                 "for order in locks, locks[::-1]: threading.Thread(target=take, args=order).start()\n"
                 "threading.Thread(target=time.sleep, args=(1000,)).start()") as process:
        time.sleep(2)
        kinds = [line["kind"] for line in attached(process.pid)["triage"]]
    assert kinds[0] == "proved" and "sleep" in kinds and "lock" not in kinds, kinds


# Reads an eventfd, which the kernel signals in one case: its io_uring has a request, for a connection that does not come. In
# another one it has a device, whose driver may.
EVENT = """
#include <fcntl.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int event, ring;
static int request(void)
{
	struct io_uring_params p = {0};
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	char *queue;
	struct io_uring_sqe *entry;
	ring = syscall(SYS_io_uring_setup, 4, &p);
	if (ring < 0) return 1;
	queue = mmap(0, p.sq_off.array + 16, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	entry = mmap(0, 4 * sizeof(*entry), PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	syscall(SYS_io_uring_register, ring, IORING_REGISTER_EVENTFD, &event, 1);
	listen(listener, 4);
	*entry = (struct io_uring_sqe){.opcode = IORING_OP_POLL_ADD, .fd = listener, .poll_events = POLLIN};
	(*(unsigned *)(queue + p.sq_off.tail))++;
	return syscall(SYS_io_uring_enter, ring, 1, 0, 0, 0, 0) != 1;
}
static void *keep(void *unused)
{
	eventfd_t value;
	pthread_mutex_lock(&mutex);
	eventfd_read(event, &value);
	return unused;
}
int main(int count, char **word)
{
	pthread_t thread;
	event = eventfd(0, 0);
	if (count > 1 && !strcmp(word[1], "driver")) open("/dev/zero", O_RDONLY);
	else if (count > 1 && strcmp(word[1], "plain") && request()) return 77;
	if (count > 1 && !strcmp(word[1], "enter")) return syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, 0, 0);
	pthread_create(&thread, NULL, keep, NULL);
	sleep(1);
	pthread_mutex_lock(&mutex);
}
"""

LOOP = """
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>
static void *loop(void *unused)
{
	struct epoll_event events[4];
	int set = epoll_create1(0);
	for (;;) epoll_wait(set, events, 4, 10);
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, loop, NULL);
	for (;;) sleep(1000);
}
"""


def check_request_of_the_kernel():
    """A thread that keeps a mutex may be woken by the kernel: nothing is proved. Without the request it is."""
    program = build(EVENT, scratch("event"), "-pthread")
    with running(program, "plain") as process:
        time.sleep(2)
        assert [(one["rule"], one["severity"]) for one in attached(process.pid)["findings"]] == [("deadlock-cycle", "error")]
    with running(program, "driver") as process:
        time.sleep(2)
        assert not attached(process.pid)["findings"]
    with running(program, "ring") as process:
        time.sleep(2)
        if process.poll() is not None:
            raise Skip("no io_uring here")
        read = attached(process.pid)
        lines = [line["text"] for line in read["triage"]]
        assert not read["findings"] and any(f"the kernel may signal: process {process.pid} has an io_uring" in line for line in lines), read
        assert not any(line.startswith("waits for ever") for line in lines), lines
    with running(program, "enter") as process:
        until(process.pid, "wait", "waits for the end of a request of its io_uring, of which it is not known what it waits for")


def check_loop_of_a_library():
    """A thread that looks for events a hundred times a second serves others; the main thread's own does not."""
    with running(build(LOOP, scratch("loop"), "-pthread")) as process:
        time.sleep(3)
        kinds = {line["text"]: line["kind"] for line in attached(process.pid)["triage"]}
    assert sorted(kinds.values()) == ["idle", "sleep"], kinds
    assert any(re.search(r"waits for events, in a loop that wakes up \d+ times a second, at loop", line) for line in kinds), kinds
    with started("import select\nwhile True: select.epoll().poll(0.02)") as process:
        until(process.pid, "polling")


def check_each_its_own():
    """Threads at one place wait for different processes: the line names them, and those that wait for the same once."""
    ends = [os.pipe() for _ in range(2)]
    source = ("import os, sys, threading\ndef read(end): os.read(end, 1)\none, other = map(int, sys.argv[1:])\n"
              "for end in one, other, other: threading.Thread(target=read, args=(end,), name=f'reader-{end}').start()\n")
    with contextlib.ExitStack() as stack:
        writers = [stack.enter_context(running("sleep", "1000", pass_fds=[end[1]])) for end in ends]
        reader = stack.enter_context(running(system_python(), "-c", source, *(end[0] for end in ends), pass_fds=[end[0] for end in ends]))
        for end in ends:
            os.close(end[0])
            os.close(end[1])
        line = until(reader.pid, "outside", "3 threads of process")["text"]
    one, other = (f"data in a pipe from process {writer.pid} (sleep)" for writer in writers)
    assert f'thread "reader-{ends[0][0]}" (TID ' in line and f") for {one}" in line and f"2 of them for {other}" in line, line


# Takes a mutex in a file, and keeps it; or waits for it; or takes it and ends.
KEEPER = """
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int count, char **word)
{
	int file = open(word[1], O_RDWR | O_CREAT, 0600);
	pthread_mutex_t *mutex;
	pthread_mutexattr_t kind;
	if (count < 3 || ftruncate(file, 4096)) return 1;
	mutex = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
	if (strcmp(word[2], "wait")) pthread_mutex_init(mutex, &kind);
	pthread_mutex_lock(mutex);
	if (!strcmp(word[2], "end")) return 0;
	for (;;) pause();
}
"""


def check_owner_in_another_tree():
    """A mutex in a file has its owner's number, which is that of a living process that maps the file, or of nobody."""
    program, file = build(KEEPER, scratch("keeper"), "-pthread"), scratch("mutex")
    with running(program, file, "keep") as owner:
        time.sleep(1)
        with running(program, file, "wait") as process:
            until(process.pid, "outside", rf"waits for mutex 0x\w+, held by process {owner.pid} \(keeper\)")
    with running(program, file, "end") as owner:
        owner.wait()
        with running(program, file, "wait") as process:
            time.sleep(1)
            assert not any(str(owner.pid) in line["text"] for line in triage(process.pid) if line["kind"] == "outside")


def check_owner_of_a_file_lock():
    """flock's belongs to an open file, and to all who have it; fcntl's to a process. A lock that is free is waited for by nobody."""
    for call in "flock", "lockf":
        file = scratch(call)
        source = f"import fcntl, time\nwith open({str(file)!r}, 'w') as f:\n    fcntl.{call}(f, fcntl.LOCK_EX)\n    time.sleep(1000)"
        with started(source) as owner:
            until(owner.pid, "sleep")
            with started(source) as process:
                line = until(process.pid, "outside", rf"waits for the lock on \S+/{call}, held by process {owner.pid} \(python3")
                kill_group(owner.pid)
                line = until(process.pid, "sleep")
                assert "held by" not in line["text"], line


def check_ended_meanwhile():
    """The report says so of a process that ends while it is looked at, and of no other."""
    with running("sleep", "4") as process:
        assert f"process {process.pid} (sleep 4) ended while it was looked at" in attached(process.pid)["limits"]
    with running("sleep", "1000") as process:
        assert not any("while it was looked at" in limit for limit in attached(process.pid)["limits"])


def check_attach():
    """The first line of the report, and the same in its JSON; below it the tree, with frames of Python and C."""
    with started("import time\ndef nap():\n    time.sleep(1000)\nnap()") as process, tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        until(process.pid, "sleep")
        time.sleep(1)  # the kernel's account of since when begins before the first look
        file = Path(place, "report.json")
        run = subprocess.run([MPSAN, "attach", "--no-conf", "--report", "text=-", "--report", f"json={file}", str(process.pid)],
                             capture_output=True, text=True, timeout=60)
        read = json.loads(file.read_text())
    lines = run.stdout.splitlines()
    assert run.returncode == 0 and lines[0] == "mpsan: " + read["triage"][0]["text"], run
    assert re.match(rf"mpsan: sleeps: the main thread of process {process.pid} \(.*\) sleeps until .*, at nap \(<string>:3\), for at least", lines[0]), lines[0]
    assert any(line.strip() == "Python: nap (<string>:3) < <module> (<string>:4)" for line in lines), run.stdout
    assert any("native: " in line and "nanosleep" in line for line in lines), run.stdout
    assert {process["pid"] for process in read["picture"]} == {process.pid}
    assert read["picture"][0]["threads"][0]["kind"] == "sleep", read["picture"]


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
