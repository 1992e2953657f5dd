#!/usr/bin/env python3
"""Files of a session are cut short while it is under way: the program goes on as if nothing had been there, and neither
the command nor a reader of the session dies of it."""
# cases
# limit: 120

import functools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, preload, program, scratch  # noqa: E402
from mpsantest import MPSAN, full_environment, main, run_bare  # noqa: E402

# Threads take locks before and after a line comes; then children, with threads and locks of their own, a program, and an end.
PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define THREADS 8
static pthread_mutex_t lock[64];
static pthread_barrier_t meeting;
static int depth;
static void work(void)
{
	for (int round = 0; round < 30; round++) {
		for (int i = 0; i < 64; i++)
			pthread_mutex_lock(&lock[i]);
		depth++;
		for (int i = 64; i-- > 0;)
			pthread_mutex_unlock(&lock[i]);
	}
}
static void *one(void *unused)
{
	work();
	pthread_barrier_wait(&meeting);
	pthread_barrier_wait(&meeting);
	work();
	return unused;
}
static int child(void)
{
	pthread_t thread;
	void *result;
	pid_t pid = fork();
	if (!pid) {
		pthread_barrier_init(&meeting, NULL, 1);
		pthread_create(&thread, NULL, one, "done");
		pthread_join(thread, &result);
		exit(strcmp(result, "done") ? 1 : 5);
	}
	int status;
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}
int main(void)
{
	struct sigaction action;
	pthread_t thread[THREADS];
	char byte, *arguments[] = {"sh", "-c", "exit 6", NULL};
	int status, spawned = 0;
	extern char **environ;
	for (int i = 0; i < 64; i++)
		pthread_mutex_init(&lock[i], NULL);
	pthread_barrier_init(&meeting, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, one, NULL);
	pthread_barrier_wait(&meeting);
	status = child();
	puts("ready");
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 1;
	pthread_barrier_wait(&meeting);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	status = status * 10 + child();
	posix_spawn(&spawned, "/bin/sh", NULL, NULL, arguments, environ);
	waitpid(spawned, &spawned, 0);
	sigaction(SIGBUS, NULL, &action);
	printf("%d %d %d %d\n", depth, status, WEXITSTATUS(spawned), action.sa_handler == SIG_DFL);
	fflush(stdout);
	if (getenv("DIE"))
		raise(SIGBUS);
	return 7;
}
"""
SAID = "ready\n480 55 6 1\n"


@functools.cache
def victim():
    return build(PROGRAM, scratch("victim"), "-pthread")


def cut(session, length, names="*"):
    for file in session.glob(names):
        if file.is_file() and file.stat().st_size > length:
            os.truncate(file, length)


def run_cut(command, session, length, names, env):
    process = subprocess.Popen([str(word) for word in command], env=full_environment(env), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = process.stdout.readline()
    cut(session, length, names)
    out, err = process.communicate("\n", timeout=60)
    return process.returncode, said + out, err


def check_program(length, names, die=False):
    session = scratch("session")
    env = preload(session=session, **({"DIE": "1"} if die else {}))
    exit, out, err = run_cut([victim()], session, length, names, env)
    assert (exit, out) == (-signal.SIGBUS if die else 7, SAID), (exit, out, err)
    assert all(line.startswith("mpsan: ") and "truncated" in line for line in err.splitlines()), err


def check_supervisor(length, names):
    session = scratch("session")
    exit, out, err = run_cut([MPSAN, "run", "--dir", session, "--report", "json=/dev/null", "--", victim()], session,
                             length, names, None)
    assert (exit, out) == (7, SAID), (exit, out, err)
    assert "error" not in err and len(err.splitlines()) <= 1, err


def check_ignored():
    """A program that was started with SIGBUS ignored finds it so."""
    session = scratch("session")
    run = run_bare(["sh", "-c", "trap '' BUS; exec grep SigIgn /proc/self/status"], 30, preload(session=session))
    bare = run_bare(["sh", "-c", "trap '' BUS; exec grep SigIgn /proc/self/status"], 30)
    assert run.out == bare.out, (run.out, bare.out)


def check_readers():
    """A session is read again and again while it is cut, at moments that nobody can foresee."""
    whole = scratch("whole")
    run_bare([MPSAN, "run", "--dir", whole, "--report", "json=/dev/null", "--", program("storm"), "200", "4"], 60)
    assert list(whole.glob("*.log")), "nothing was recorded"
    began = time.monotonic()
    run_bare([MPSAN, "report", "--report", "json=-", whole])
    took = time.monotonic() - began
    for command in (["report", "--report", "json=-"], ["ps"], ["dump"]):
        for _ in range(12):
            copy = scratch("copy")
            shutil.copytree(whole, copy)
            process = subprocess.Popen([MPSAN, *command, copy], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(random.uniform(0, took))  # the case itself
            cut(copy, random.choice((0, 4096, 10000)))
            err = process.communicate(timeout=30)[1]
            assert process.returncode in (0, 2, 66), (command, process.returncode, err)


main({
    "program:all": functools.partial(check_program, 0, "*"),
    "program:logs": functools.partial(check_program, 0, "*.log"),
    "program:table": functools.partial(check_program, 0, "session"),
    "program:heads": functools.partial(check_program, 4096, "*"),
    "program:dies_of_it": functools.partial(check_program, 0, "*", True),
    "supervisor:all": functools.partial(check_supervisor, 0, "*"),
    "supervisor:logs": functools.partial(check_supervisor, 0, "*.log"),
    "supervisor:table": functools.partial(check_supervisor, 0, "session"),
    "ignored": check_ignored,
    "readers": check_readers,
})
