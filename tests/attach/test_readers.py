#!/usr/bin/env python3
"""mpsan attach on processes each of which reads what only another of them could send, and on some that look like these."""
# cases

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import first_findings  # noqa: E402
from faults import build, scratch  # noqa: E402
from mpsantest import main, system_python  # noqa: E402

LOOKS = 4  # a busy machine may be late

# Parent and child over a pair of pipes, after one question and answer; the word says who may go on.
PAIR = """
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
static int down[2], up[2];
static void beat(int number) { (void)number; if (write(up[1], "b", 1) < 0) _exit(1); }
static void clean(int number) { _exit(number); }
int main(int count, char **word)
{
	const char *how = word[count - 1];
	const struct itimerval soon = {{100, 0}, {100, 0}};
	char byte;
	if (pipe(down) || pipe(up)) return 1;
	if (!fork()) {
		close(down[1]);
		close(up[0]);
		if (!strcmp(how, "beats")) { signal(SIGALRM, beat); setitimer(ITIMER_REAL, &soon, NULL); }
		if (!strcmp(how, "listens")) signal(SIGUSR1, beat);
		if (!strcmp(how, "cleans")) for (int i = 1; i < 32; i++) signal(i, clean);
		while (read(down[0], &byte, 1) > 0 && byte == 'q') if (write(up[1], "a", 1) < 0) return 1;
		for (;;) if (read(down[0], &byte, 1) < 1) return 0;
	}
	if (!strcmp(how, "third") && !fork()) { sleep(1000); return 0; }
	close(down[0]);
	close(up[1]);
	if (write(down[1], "q", 1) < 0) return 1;
	while (read(up[0], &byte, 1) > 0);
}
"""

RING = ("import multiprocessing\n"
        "def node(here, there):\n    there.send(here.recv())\n"
        "pipes = [multiprocessing.Pipe(False) for _ in range(3)]\n"
        "for i in range(3): multiprocessing.Process(target=node, args=(pipes[i][0], pipes[(i + 1) % 3][1])).start()\n"
        "for ends in pipes:\n    for end in ends: end.close()\n")

# A thread passes on what an idle child says; the main thread waits for the end of the program, or sleeps.
PUMP = ("import subprocess, sys, threading, time\n"
        "child = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "threading.Thread(target=child.stdout.read, daemon=True).start()\n"
        "if sys.argv[1] == 'event': threading.Event().wait()\n"
        "time.sleep(1000)\n")


def findings_of(command, looks, **more):
    return first_findings(command, looks, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler), **more)


def told(command, severity):
    """The message of the only finding."""
    _, loud = findings_of(command, LOOKS)
    assert [(one["rule"], one["severity"]) for one in loud] == [("deadlock-cycle", severity)], loud
    return loud[0]["message"]


def check_pair():
    message = told([build(PAIR, scratch("pair")), "pair"], "error")
    assert "whoever could write there reads, too, from one that waits" in message, message


def check_coprocess():
    """Only a program that handles whatever would end it leaves a doubt."""
    talk = ("import subprocess, sys\nchild = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
            "child.stdin.write(b'line')\nchild.stdin.flush()\nchild.stdout.read()\nchild.stdout.read()\n")
    assert "reads, too" in told([system_python(), "-c", talk, "tr", "a", "b"], "error")
    assert "reads, too" in told([system_python(), "-c", talk, "sort"], "warning")
    assert "reads, too" in told([build(PAIR, scratch("pair")), "cleans"], "warning")


def check_ring():
    """Each process has both ends of all pipes."""
    message = told([system_python(), "-c", RING], "error")
    assert message.count("waits for data from a Connection") == 3 and "reads, too" in message, message


def check_somebody_else_sends():
    program = build(PAIR, scratch("pair"))
    for word in "beats", "listens", "third":
        _, loud = findings_of([program, word], 1)
        assert not loud, f"{word}: {loud}"


def check_pump():
    """The main thread is free to send."""
    for word in "event", "sleep":
        _, loud = findings_of([system_python(), "-c", PUMP, word], 1)
        assert not loud, f"{word}: {loud}"


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
