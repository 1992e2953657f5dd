#!/usr/bin/env python3
"""Waits for IPC objects, and to open a FIFO, as mpsan ps names them."""
# cases

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, scratch  # noqa: E402
from mpsantest import MPSAN, Skip, kill_group, main, run_bare  # noqa: E402

# Its arguments are the id of a set, that of a queue, and a path.
WAITS = """
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/msg.h>
#include <sys/sem.h>
static void *take(void *set)
{
	struct sembuf steps[] = {{0, 1, 0}, {1, -1, 0}};
	semop(*(int *)set, steps, 2);
	return NULL;
}
static void *receive(void *queue)
{
	struct { long type; char text[8]; } message;
	msgrcv(*(int *)queue, &message, sizeof(message.text), 7, 0);
	return NULL;
}
int main(int argc, char **argv)
{
	int set = atoi(argv[1]), queue = atoi(argv[2]);
	pthread_t one, other;
	pthread_create(&one, NULL, take, &set);
	pthread_create(&other, NULL, receive, &queue);
	return open(argv[3], O_RDONLY);
}
"""


def made(*words):
    return run_bare(["ipcmk", *words]).out.split()[-1]


def texts(session):
    run = run_bare([MPSAN, "ps", "--json", session])
    processes = json.loads(run.out)["processes"] if run.exit == 0 and run.out else []
    return {thread["waits_for"]["text"] for process in processes for thread in process["threads"] if thread["waits_for"]}


def look_at(semaphores, queue):
    session, fifo = scratch("session"), scratch("fifo")
    os.mkfifo(fifo)
    wanted = {f"System V semaphore 1 of set {semaphores}", f"a message of type 7 of System V queue {queue}", f"openat({fifo}), until a process opens the FIFO for writing"}
    program = build(WAITS, scratch("waits"))
    command = [MPSAN, "run", "--dir", session, "--", program, semaphores, queue, fifo]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        end, found = time.monotonic() + 30, set()
        while not wanted <= found:
            assert time.monotonic() < end, (wanted, found)
            found = texts(session)
    finally:
        kill_group(process.pid)
        process.wait()


def check_names():
    if not shutil.which("ipcmk"):
        raise Skip("no ipcmk")
    semaphores, queue = made("-S", "2"), made("-Q")
    try:
        look_at(semaphores, queue)
    finally:
        run_bare(["ipcrm", "-s", semaphores, "-q", queue])


main({"names": check_names})
