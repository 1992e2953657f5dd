#!/usr/bin/env python3
"""Files of a session are overwritten while it is under way, by another process of the same user: the program does what it does
bare, whatever numbers the library reads back."""
# cases
# limit: 240

import functools
import mmap
import os
import random
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, preload, scratch  # noqa: E402
from mpsantest import full_environment, main, system_python  # noqa: E402

HEAD, INDEX, RECORDS, HOLDS = 4096, 4096, 8192, 56
# Threads lock, nested and not, fork children that lock, and start threads, for so many tenths of a second.
PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock[80];
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static volatile int over;
static void work(void)
{
	for (int i = 0; i < 80; i++)
		pthread_mutex_lock(&lock[i]);
	for (int i = 80; i-- > 0;)
		pthread_mutex_unlock(&lock[i % 2 ? i : i]);
	for (int i = 0; i < 9; i++) {
		pthread_mutex_lock(&lock[i]);
		pthread_rwlock_rdlock(&rwlock);
		sem_wait(&semaphore);
		pthread_mutex_unlock(&lock[i]);
		sem_post(&semaphore);
		pthread_rwlock_unlock(&rwlock);
		if (!pthread_mutex_trylock(&lock[i]))
			pthread_mutex_unlock(&lock[i]);
	}
}
static long tenths(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 10 + now.tv_nsec / 100000000;
}
static void *idle(void *value)
{
	work();
	return value;
}
static void *one(void *unused)
{
	while (!over)
		work();
	return unused;
}
int main(int count, char **word)
{
	pthread_t thread[4], other;
	int status, good = 0, bad = 0;
	void *result;
	long end = tenths() + atoi(word[count - 1]);
	for (int i = 0; i < 80; i++)
		pthread_mutex_init(&lock[i], NULL);
	sem_init(&semaphore, 0, 3);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, one, NULL);
	puts("ready");
	fflush(stdout);
	while (tenths() < end) {
		pid_t pid = fork();
		if (!pid) {
			for (int i = 0; i < 80; i++)
				pthread_mutex_init(&lock[i], NULL);
			pthread_rwlock_init(&rwlock, NULL);
			sem_init(&semaphore, 0, 3);
			pthread_create(&other, NULL, idle, "done");
			pthread_join(other, &result);
			_exit(7);
		}
		waitpid(pid, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 7)
			good++;
		else
			bad = status;
		pthread_create(&other, NULL, idle, "done");
		pthread_join(other, &result);
	}
	over = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	printf("%d %d\n", good > 0, bad);
	return 5;
}
"""
PYTHON = """
import multiprocessing, os, sys, threading, time
lock, other, over = threading.RLock(), threading.Lock(), time.time() + float(sys.argv[1])
def work():
    while time.time() < over:
        with lock:
            with other: pass
threads = [threading.Thread(target=work, name=f"worker {i}") for i in range(3)]
for thread in threads: thread.start()
print("ready", flush=True)
bad = 0
while time.time() < over:
    pid = os.fork()
    if not pid:
        with threading.Lock(): os._exit(7)
    bad |= os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 7
for thread in threads: thread.join()
print(1, int(bad), flush=True)
sys.exit(5)
"""


@functools.cache
def victim():
    return build(PROGRAM, scratch("victim"), "-pthread")


def odd_word(dice):
    return dice.choice((0, 1, HOLDS, HOLDS + 1, 0xffffffff, 1 << 31, 1 << 63, 2**64 - 1, 8, 64, 4096, dice.getrandbits(16), dice.getrandbits(32),
                        dice.getrandbits(47), dice.getrandbits(64)))


def spoil(view, dice, part):
    """One word: of claims of threads, of the head, of the index of threads, of records of threads, of anything; of the table, its head or its slots."""
    size = len(view)
    if part == "holds":
        index = [units for units in struct.unpack_from("<1024I", view, INDEX) if units and units * 64 + 1216 <= size]
        thread = dice.choice(index) * 64 + 32 if index else 0
        if thread and dice.random() < 0.5:  # how many claims it has
            view[thread + 4:thread + 8] = struct.pack("<I", dice.choice((HOLDS + 1, 1000, 1 << 20, 0x7fffffff, 0xffffffff, dice.getrandbits(7))))
        elif thread and dice.random() < 0.5:  # a claim of some kind, and none of the flags, on nothing
            at = thread + 96 + dice.randrange(HOLDS) * 16
            view[at:at + 8] = struct.pack("<Q", odd_word(dice) & (1 << 48) - 1 | dice.randrange(32) << 48)
        elif thread:  # claims, and what else is kept there
            at = thread + dice.randrange(8, 1184) & ~7
            view[at:at + 8] = struct.pack("<Q", odd_word(dice))
        return
    low, high = {"head": (8, 128), "index": (INDEX, INDEX + 4096), "records": (RECORDS, min(size, RECORDS + 65536)), "all": (8, size),
                 "slots": (HEAD, size), "lists": (8, HEAD)}[part]
    at = dice.randrange(low, max(high - 8, low + 1)) & ~7
    word = struct.pack("<Q", odd_word(dice)) if dice.random() < 0.6 else struct.pack("<II", odd_word(dice) & 0xffffffff, dice.getrandbits(6))
    view[at:at + 8] = word


def keep_spoiling(session, names, part, stop, seed):
    dice, views = random.Random(seed), {}
    while not stop.is_set():
        for file in session.glob(names):
            if file.name in views or not file.stat().st_size:
                continue
            try:
                with file.open("r+b") as stream:
                    views[file.name] = mmap.mmap(stream.fileno(), 0)
            except (OSError, ValueError):
                continue
        for view in views.values():
            for _ in range(8):
                spoil(view, dice, part)
        time.sleep(0.0002)  # so often, not until something happens


def check_program(names, part, python=False):
    for seed in range(int(os.environ.get("MPSAN_SEEDS", "2"))):
        session = scratch("session")
        command = [system_python(), "-c", PYTHON, "1.5"] if python else [victim(), "10"]
        process = subprocess.Popen([str(word) for word in command], env=full_environment(preload(session=session)),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        stop = threading.Event()
        spoiler = threading.Thread(target=keep_spoiling, args=(session, names, part, stop, seed))
        spoiler.start()
        try:
            out, err = process.communicate(timeout=60)
        finally:
            stop.set()
            spoiler.join()
            process.kill()
        assert (process.returncode, out) == (5, "1 0\n"), (seed, process.returncode, out, err[-2000:])


main({
    "log:head": functools.partial(check_program, "*.log", "head"),
    "log:holds": functools.partial(check_program, "*.log", "holds"),
    "log:index": functools.partial(check_program, "*.log", "index"),
    "log:records": functools.partial(check_program, "*.log", "records"),
    "log:all": functools.partial(check_program, "*.log", "all"),
    "table:head": functools.partial(check_program, "session", "lists"),
    "table:slots": functools.partial(check_program, "session", "slots"),
    "python:holds": functools.partial(check_program, "*.log", "holds", True),
    "python:records": functools.partial(check_program, "*.log", "records", True),
    "python:table": functools.partial(check_program, "session", "all", True),
})
