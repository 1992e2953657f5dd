"""Forked children wait for what they made themselves, which their handlers fill or which is their way to stay alive until SIGTERM."""
# expect: none

import os
import queue
import signal
import threading
import time


def until_put(items, ready):
    signal.signal(signal.SIGUSR1, lambda number, frame: items.put(1))
    os.write(ready, b".")
    items.get()


def until_notified(ready):
    condition = threading.Condition()
    with condition:
        os.write(ready, b".")
        condition.wait()


def start(wait, *make):
    pid = os.fork()
    if pid == 0:
        wait(*(kind() for kind in make), at_work)
        os._exit(0)
    os.read(ready, 1)
    return pid


ready, at_work = os.pipe()
putters = [start(until_put, queue.Queue), start(until_put, queue.SimpleQueue)]
keeper = start(until_notified)
time.sleep(3)  # longer than a wait must last before it is judged
for pid in putters:
    os.kill(pid, signal.SIGUSR1)
os.kill(keeper, signal.SIGTERM)
print([os.waitpid(pid, 0)[1] for pid in (*putters, keeper)])
