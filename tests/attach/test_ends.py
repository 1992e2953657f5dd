#!/usr/bin/env python3
"""mpsan attach on a parent that waits for a child which reads what the parent itself has to write or to close."""
# cases

import re
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import first_findings  # noqa: E402
from faults import build, scratch  # noqa: E402
from mpsantest import main, system_python  # noqa: E402

LOOKS = 4  # a busy machine may be late

# The child reads to the end; the word says who keeps the write end open, and what could end that.
PIPE = """
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int end[2];
static void finish(int number) { (void)number; close(end[1]); }
int main(int count, char **word)
{
	char byte, *how = word[count - 1];
	pid_t child;
	if (pipe(end)) return 1;
	if (!(child = fork())) {
		if (strcmp(how, "both")) close(end[1]);
		while (read(end[0], &byte, 1) > 0);
		_exit(0);
	}
	if (write(end[1], "x", 1) < 0) return 1;
	if (!strcmp(how, "closed")) close(end[0]);
	if (!strcmp(how, "handler")) signal(SIGTERM, finish);
	if (!strcmp(how, "helper") && !fork()) { sleep(1000); _exit(0); }
	waitpid(strcmp(how, "any") ? child : -1, NULL, 0);
}
"""


def findings_of(command, looks, interrupt=signal.default_int_handler):
    return first_findings(command, looks, preexec_fn=lambda: signal.signal(signal.SIGINT, interrupt))


def told(command, severity="error", **more):
    """(pid, message) of the only finding."""
    pid, loud = findings_of(command, LOOKS, **more)
    assert [(one["rule"], one["severity"]) for one in loud] == [("missing-sentinel", severity)], loud
    return pid, loud[0]["message"], loud[0]["fix"]


def check_parent_forgot():
    """The descriptor, who has the other end, by which descriptor, and what to do."""
    program = build(PIPE, scratch("pipe"))
    for word in "closed", "any", "open":
        pid, message, fix = told([program, word])
        assert f"reads from a pipe (fd 3, whose other end is open in process {pid} (fd 4))" in message, message
        assert "Ctrl-C" not in message and "close the write end" in fix, (message, fix)


def check_both_forgot():
    pid, message, _ = told([build(PIPE, scratch("pipe")), "both"])
    ends = re.search(r"whose other end is open in process (\d+) \(fd 4\), process (\d+) \(fd 4\)", message)
    assert ends and str(pid) in ends.groups(), message  # by number, and these begin anew


def check_may_still_close():
    """A handler of the parent's closes the end; another process, which goes on, has it, too."""
    program = build(PIPE, scratch("pipe"))
    for word in "handler", "helper":
        _, loud = findings_of([program, word], 1)
        assert not loud, f"{word}: {loud}"


JOINED = ("import multiprocessing, sys, threading, time\n"
          "here, there = multiprocessing.Pipe()\n"
          "worker = multiprocessing.Process(target=there.recv)\nworker.start()\n"
          "if 'sender' in sys.argv:\n"
          "    def send():\n        time.sleep(1000)\n        here.send(1)\n"
          "    threading.Thread(target=send, daemon=True).start()\n"
          "worker.join()\n")


def check_connection():
    """An error where nothing but a kill could follow; where Ctrl-C is handled it may be meant, and a warning says so."""
    command = [system_python(), "-c", JOINED]
    pid, message, fix = told(command, interrupt=signal.SIG_IGN)
    assert "receives from a connection (fd " in message and f"open in process {pid} (fd " in message, message
    assert "send what the other one waits for" in fix, fix
    assert "unless all of them are meant to wait until Ctrl-C" in told(command, severity="warning")[1]


def check_other_worker():
    """The one for whose end the parent waits, waits for a lock that another one has while it reads from the parent."""
    source = ("import multiprocessing, time\ncontext = multiprocessing.get_context('fork')\nqueue = context.SimpleQueue()\n"
              "workers = [context.Process(target=queue.get) for _ in range(2)]\n"
              "for worker in workers:\n    worker.start()\n    time.sleep(.5)\n"
              "workers[1].join()\n")
    _, message, _ = told([system_python(), "-c", source], severity="warning")
    assert "workers wait for an item" in message, message


def check_needs_reader():
    """The one for whose end the parent waits, waits for a file lock of the one that reads from the parent."""
    source = ("import fcntl, os, sys, time\nhere, there = os.pipe()\n"
              "def child(reads):\n    with open(sys.argv[1], 'w') as file:\n        os.close(there)\n"
              "        fcntl.flock(file, fcntl.LOCK_EX)\n        if reads: os.read(here, 1)\n    os._exit(0)\n"
              "first = os.fork() or child(True)\ntime.sleep(.5)\nsecond = os.fork() or child(False)\n"
              "open(sys.argv[1] + '.pids', 'w').write(f'{first} {second}')\nos.waitpid(second, 0)\n")
    lock = scratch("needs-reader").with_suffix(".lock")
    _, message, _ = told([system_python(), "-c", source, lock])
    reader, awaited = lock.with_suffix(".lock.pids").read_text().split()
    assert f"for the end of process {awaited}, while process {reader} reads from a pipe (fd " in message, message


def check_sender_to_come():
    """A thread of the parent sleeps, and then sends."""
    _, loud = findings_of([system_python(), "-c", JOINED, "sender"], 1)
    assert not loud, loud


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
