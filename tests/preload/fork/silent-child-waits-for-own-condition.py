"""Forked children keep themselves alive in wait() and get() of what they have made themselves: where the parent has made its own at
the same time, in place of what they inherited, and while they have what they inherited at hand."""
# expect: none
# pythons: all

import os
import queue
import signal
import threading
import time

inherited = queue.Queue()
condition = threading.Condition()
items = queue.Queue()
ready, at_work = os.pipe()
children = []


class Mailbox:
    def __init__(self):
        self.arrived = threading.Condition()


mailbox = Mailbox()
kept = Mailbox()


def keep(what):
    with what:
        os.write(at_work, b".")
        what.wait()


def keep_beside(_inherited, what):
    keep(what)


def beside():
    own = threading.Condition(threading.Lock())
    keep_beside(inherited, own)


def replaced_condition():
    global condition
    condition = None
    condition = threading.Condition()
    keep(condition)


def replaced_queue():
    global items
    items = None
    items = queue.Queue()
    os.write(at_work, b".")
    items.get()


def made_around():
    os.write(at_work, b".")
    inherited.__init__()
    inherited.get()


def replaced_whole():
    global mailbox
    mailbox = None
    mailbox = Mailbox()
    keep(mailbox.arrived)


def replaced_part():
    kept.arrived = None
    kept.arrived = threading.Condition()
    keep(kept.arrived)


def start(wait):
    pid = os.fork()
    if pid == 0:
        wait()
        os._exit(0)
    os.read(ready, 1)
    children.append(pid)


for wait in beside, replaced_condition, replaced_queue, made_around, replaced_whole, replaced_part:
    start(wait)
pid = os.fork()
made = queue.Queue()
if pid == 0:
    os.write(at_work, b".")
    made.get()
os.read(ready, 1)
time.sleep(2)  # longer than a wait must last before it is judged
for child in (*children, pid):
    os.kill(child, signal.SIGTERM)
print([os.waitpid(child, 0)[1] for child in (*children, pid)])
