"""File locks that are waited for, and given back after a while: by a process of the job, by a child that inherited the
open file of a process that has ended, by a program that is not watched, by another thread of the waiter's process; a
record lock elsewhere in the same file, whose owner waits for the waiter, is in nobody's way."""
# expect: none

import fcntl
import os
import subprocess
import sys
import tempfile
import threading
import time

HELD_S = 3
LET_GO = f"""
import fcntl, sys, time
file = open(sys.argv[1], "r+")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep({HELD_S})
"""


def wait_for(path, lock=fcntl.flock):
    with open(path, "r+") as file:
        lock(file, fcntl.LOCK_EX)


def in_child(body, *arguments):
    pid = os.fork()
    if not pid:
        body(*arguments)
        os._exit(0)
    return pid


def hold(path, lock, held):
    with open(path, "r+") as file:
        lock(file, fcntl.LOCK_EX)
        os.write(held, b"!")
        time.sleep(HELD_S)


def held_by_child(path, lock):
    here, there = os.pipe()
    child = in_child(hold, path, lock, there)
    os.read(here, 1)
    wait_for(path, lock)
    os.waitpid(child, 0)


def leave_to_heir(path, held):
    file = open(path, "r+")
    fcntl.flock(file, fcntl.LOCK_EX)
    in_child(time.sleep, HELD_S)
    os.write(held, b"!")


def held_by_heir(path):
    here, there = os.pipe()
    os.waitpid(in_child(leave_to_heir, path, there), 0)
    os.read(here, 1)
    wait_for(path)


def held_outside(path):
    environment = {name: value for name, value in os.environ.items() if "MPSAN" not in name and name != "LD_PRELOAD"}
    with subprocess.Popen([sys.executable, "-c", LET_GO, path], stdout=subprocess.PIPE, env=environment) as other:
        other.stdout.readline()
        wait_for(path)


def held_by_thread(path):
    held = threading.Event()

    def keep():
        with open(path, "r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            held.set()
            time.sleep(HELD_S)

    thread = threading.Thread(target=keep)
    thread.start()
    held.wait()
    wait_for(path)
    thread.join()


def wait_elsewhere(path, held, end):
    with open(path, "r+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX, 1, 100)
        os.write(held, b"!")
        os.read(end, 1)


def held_elsewhere(path):
    """The parent waits for byte 0, held by a child that sleeps; byte 100 is held by one that waits for the parent."""
    here, there = os.pipe()
    end, ended = os.pipe()
    other = in_child(wait_elsewhere, path, there, end)
    os.read(here, 1)
    sleeper = in_child(hold, path, lambda file, how: fcntl.lockf(file, how, 1, 0), there)
    os.read(here, 1)
    with open(path, "r+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX, 1, 0)
    os.write(ended, b"!")
    os.waitpid(sleeper, 0)
    os.waitpid(other, 0)


WAYS = [lambda path: held_by_child(path, fcntl.flock), lambda path: held_by_child(path, fcntl.lockf), held_by_heir, held_outside,
        held_by_thread, held_elsewhere]


def main():
    with tempfile.TemporaryDirectory() as place:
        children = []
        for number, way in enumerate(WAYS):
            path = f"{place}/{number}"
            open(path, "w").close()
            children.append(in_child(way, path))
        statuses = [os.waitpid(child, 0)[1] for child in children]
    print(statuses)
    return any(statuses)


if __name__ == "__main__":
    sys.exit(main())
