#!/usr/bin/env python3
"""Words of mpsan ps and mpsan attach: the exception that a thread is handling, what an open() of a FIFO and a sem_wait() wait for, a static variable in C++, which
threads could not be examined, and what the first line says of a finding that is in the baseline."""
# cases

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import attached, first_findings, running  # noqa: E402
from faults import build, need, scratch  # noqa: E402
from mpsantest import MPSAN, main, system_python  # noqa: E402


def awaited(pid):
    """What the threads of the processes of a program wait for."""
    run = subprocess.run([MPSAN, "ps", "--json", str(pid)], capture_output=True, text=True, timeout=30)
    assert run.returncode == 0, run.stderr
    return [thread["waits_for"]["text"] for process in json.loads(run.stdout)["processes"]
            for thread in process["threads"] if thread["waits_for"]]


def until(pid, pattern):
    """The time limit of tests ends this."""
    while not any(re.fullmatch(pattern, text) for text in awaited(pid)):
        time.sleep(0.1)


HANDLES = """
import sys, threading
def load(batches):
    return batches["train"]
def worker():
    try:
        load({})
    except KeyError:
        threading.Event().wait()
for i in range(3):
    threading.Thread(target=worker, name="worker-%d" % i, daemon=True).start()
threading.Event().wait()
"""
SAYS = "while handling KeyError('train') raised at load (handles.py:4)"


def check_handling():
    """Threads that wait amid an exception say so, also where they are all alike; that alone is no finding."""
    program = Path(scratch("handles.py"))
    program.write_text(HANDLES)
    with running(system_python(), program) as process:
        while len(awaited(process.pid)) < 4:
            time.sleep(0.1)
        run = subprocess.run([MPSAN, "ps", str(process.pid)], capture_output=True, text=True, timeout=30)
        assert '3 threads "worker" wait' in run.stdout and SAYS in run.stdout, run.stdout
        main_line = next(line for line in run.stdout.splitlines() if line.lstrip().startswith("- main thread"))
        assert "while handling" not in main_line, run.stdout
        run = subprocess.run([MPSAN, "ps", "--json", str(process.pid)], capture_output=True, text=True, timeout=30)
        threads = [thread["handling"] for process in json.loads(run.stdout)["processes"] for thread in process["threads"]]
        assert threads.count(None) == 1 and len(threads) == 4, threads
        handling = next(filter(None, threads))
        assert (handling["how"], handling["type"], handling["text"], handling["before"]) == ("handles", "KeyError", "train", None), handling
        assert [frame["function"] for frame in handling["raised"]] == ["load", "worker"], handling
        run = subprocess.run([MPSAN, "attach", "--no-conf", str(process.pid)], capture_output=True, text=True, timeout=60)
        assert SAYS in run.stderr + run.stdout, run
        assert not [f for f in attached(process.pid)["findings"] if f["severity"] != "note"]


def check_fifo():
    place = scratch("fifo")
    os.mkfifo(place)
    opens = "import os, sys\nos.open(sys.argv[1], {})"
    for how, other in ("os.O_RDONLY", "writing"), ("os.O_WRONLY", "reading"):
        with running(system_python(), "-c", opens.format(how), place) as process:
            until(process.pid, rf"openat\({place}\), until a process opens the FIFO for {other}")
    with running(system_python(), "-c", "import os, sys\nos.read(os.open(sys.argv[1], os.O_RDWR), 1)", place) as process:
        until(process.pid, r"data in a pipe.*|read\(.*")
        assert not any("FIFO for" in text for text in awaited(process.pid)), awaited(process.pid)


SEMAPHORE = """
#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int count, char **word)
{
	sem_t *one;
	if (count > 1) {
		one = sem_open(word[1], O_CREAT | O_EXCL, 0600, 0);
	} else {
		one = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		sem_init(one, 1, 0);
	}
	sem_wait(one);
}
"""


def check_named_semaphore():
    """By the name that the program opened; one without a name, and those of multiprocessing, have none."""
    program, name = build(SEMAPHORE, scratch("semaphore"), "-pthread"), f"/mpsan-test-{os.getpid()}"
    try:
        with running(program, name) as process:
            until(process.pid, f'semaphore "{name}"')
    finally:
        Path("/dev/shm", "sem." + name[1:]).unlink(missing_ok=True)
    with running(program) as process:
        until(process.pid, r"semaphore 0x[0-9a-f]+")
    lock = "import multiprocessing\nlock = multiprocessing.get_context('fork').Semaphore(0)\nlock.acquire()"
    with running(system_python(), "-c", lock) as process:
        until(process.pid, r".*[Ss]emaphore.*")
        assert not any('"/' in text for text in awaited(process.pid)), awaited(process.pid)


GUARD = """
#include <thread>
int compute();
int &setting() { static int value = compute(); return value; }
int compute() { std::thread user([] { setting(); }); user.join(); return 1; }
int main() { return setting(); }
"""


def check_static_variable():
    """The cure is not that of a lock, and a lock's is not that of a static variable."""
    program = build(GUARD, scratch("guard"), "-pthread", compiler=need("c++"))
    _, loud = first_findings([program], 2)
    assert loud[0]["severity"] == "error" and "initialiser of a static variable" in loud[0]["fix"], loud
    assert "with lock" not in loud[0]["fix"] and "with lock" not in loud[0]["message"], loud
    again = "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()"
    _, loud = first_findings([system_python(), "-c", again], 2, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    assert not any("static variable" in one["fix"] for one in loud), loud


SHORT = """
#include <pthread.h>
#include <unistd.h>
static void *nap(void *none) { usleep(2000); return none; }
int main(void)
{
	for (;;) {
		pthread_t some[8];
		for (int i = 0; i < 8; i++) pthread_create(some + i, 0, nap, 0);
		for (int i = 0; i < 8; i++) pthread_join(some[i], 0);
	}
}
"""


def check_threads_that_end():
    """They are not threads that may not be examined; test_rights.py has those."""
    with running(build(SHORT, scratch("short"), "-pthread")) as process:
        limits = attached(process.pid)["limits"]
    assert not any("could not be examined" in limit for limit in limits), limits


PIPE = """
#include <sys/wait.h>
#include <unistd.h>
int main(void) { int ends[2]; char byte; if (pipe(ends)) return 1; if (!fork()) _exit(0); wait(0); return (int)read(ends[0], &byte, 1); }
"""


def check_known():
    """A finding in the baseline is not shown, in the first line neither; another one is."""
    program, place = build(PIPE, scratch("pipe")), scratch("baseline")
    with running(program) as process:
        known = attached(process.pid)["findings"][0]
        for print_, shown in (known["fingerprint"], False), ("0" * 16, True):
            place.write_text(f"{print_} error {known['rule']}\n")
            run = subprocess.run([MPSAN, "attach", "--no-conf", "--baseline", place, "--report", "text=-", str(process.pid)],
                                 capture_output=True, text=True, timeout=60)
            assert run.returncode == (66 if shown else 0), run
            assert ("proved: " in run.stdout) == (known["rule"] in run.stdout.splitlines()[0]) == shown, run.stdout


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
